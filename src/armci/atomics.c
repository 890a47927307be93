/* atomics.c - read-modify-write, mutexes, notification. */
#include <stdlib.h>

#include "armci/entry.h"
#include "core/mutex.h"
#include "core/notify.h"
#include "core/op.h"
#include "mpi/world.h"

int PARMCI_Rmw(int op, void *ploc, void *prem, int value, int proc)
{
    ARMCII_ENTER("ARMCI_Rmw");
    if (!entered) return ARMCI_ERR_STATE;
    int rc = armcii_check_process("ARMCI_Rmw", "proc", proc);
    if (!rc && (op < ARMCI_FETCH_AND_ADD || op > ARMCI_SWAP_LONG))
        rc = armcii_error(ARMCI_ERR_TYPE, "ARMCI_Rmw", "op", "invalid operation", "%d", op);
    if (!rc) rc = armcii_check_pointer("ARMCI_Rmw", "ploc", ploc);
    if (rc) return rc;
    rc = armcii_rmw("ARMCI_Rmw", op, ploc, prem, value, proc);
    if (__builtin_expect(armcii_stats_on, 0) && rc == 0) armcii_stats_note_transfer(STATS_RMW, proc, armcii_rmw_bytes(op), 1, false);
    return rc;
}
ARMCII_ALIAS(ARMCI_Rmw, PARMCI_Rmw);

/* ---- mutexes: the extension's sets; ARMCI's own mutexes are one such set over the world ---- */

static struct mutex_set *world_set;

/* The live sets of the extension: any other handle is invalid. */
struct handle {
    struct mutex_set *set;
    struct handle *next;
};
static struct handle *handles; /* oldest first */

static struct handle **handle_of(const void *hdl)
{
    struct handle **link = &handles;
    while (*link && (const void *)(*link)->set != hdl)
        link = &(*link)->next;
    return link;
}

static void destroy_set_of(struct handle **link)
{
    struct handle *h = *link;
    *link = h->next;
    armcii_mutexes_destroy(h->set);
    free(h);
}

static void destroy_world_set(void)
{
    if (world_set) armcii_mutexes_destroy(world_set);
    world_set = NULL;
}

/* Threads may have created sets in different orders: all members destroy them in the order of the names. */
void armcii_mutexes_end(void)
{
    destroy_world_set();
    while (handles) {
        struct handle **least = &handles;
        for (struct handle **link = least; *link; link = &(*link)->next)
            if (armcii_mutexes_name((*link)->set) < armcii_mutexes_name((*least)->set)) least = link;
        destroy_set_of(least);
    }
}

static struct mutex_set *create(const char *caller, struct team *team, int count)
{
    struct mutex_set *set = armcii_mutexes_create(team, count);
    if (set) return set;
    if (count < 0)
        armcii_check_count(caller, "count", count);
    else
        armcii_error(ARMCI_ERR_MEMORY, caller, "count", "out of memory, or another process requests a negative count", "%d", count);
    return NULL;
}

int PARMCI_Create_mutexes(int count)
{
    ARMCII_ENTER("ARMCI_Create_mutexes");
    if (!entered) return ARMCI_ERR_STATE;
    if (world_set)
        return armcii_error(ARMCI_ERR_MUTEX, "ARMCI_Create_mutexes", "count", "mutexes exist already: destroy them first", "%d", count);
    world_set = create("ARMCI_Create_mutexes", armcii_team_world(), count);
    if (world_set) return 0;
    return count < 0 ? ARMCI_ERR_COUNT : ARMCI_ERR_MEMORY;
}
ARMCII_ALIAS(ARMCI_Create_mutexes, PARMCI_Create_mutexes);

int PARMCI_Destroy_mutexes(void)
{
    ARMCII_ENTER("ARMCI_Destroy_mutexes");
    if (!entered) return ARMCI_ERR_STATE;
    if (!world_set) return armcii_error(ARMCI_ERR_MUTEX, "ARMCI_Destroy_mutexes", "mutexes", "no mutexes exist", "%s", "none");
    destroy_world_set();
    return 0;
}
ARMCII_ALIAS(ARMCI_Destroy_mutexes, PARMCI_Destroy_mutexes);

static int check_mutex(const char *caller, const struct mutex_set *set, int mutex, int owner)
{
    if (!set) return armcii_error(ARMCI_ERR_MUTEX, caller, "mutex", "no mutexes exist", "%d", mutex);
    int count = armcii_mutexes_count(set, owner);
    if (count < 0) return armcii_error(ARMCI_ERR_RANK, caller, "proc", "invalid rank", "%d", owner);
    if (mutex >= 0 && mutex < count) return 0;
    return armcii_error(ARMCI_ERR_MUTEX, caller, "mutex", "the process owns no such mutex", "%d (process %d has %d)", mutex, owner, count);
}

static void lock(const char *caller, struct mutex_set *set, int mutex, int owner)
{
    if (check_mutex(caller, set, mutex, owner)) return;
    bool is_held = armcii_lock_is_enabled() ? armcii_mutex_is_mine(set, mutex, owner) : armcii_mutex_is_held(set, mutex, owner);
    if (is_held)
        armcii_error(ARMCI_ERR_MUTEX, caller, "mutex", "this process holds the mutex already", "%d of process %d", mutex, owner);
    else
        armcii_mutex_lock(set, mutex, owner);
}

/* Operations under the lock complete before the next holder continues. */
static void unlock(const char *caller, struct mutex_set *set, int mutex, int owner)
{
    if (check_mutex(caller, set, mutex, owner)) return;
    if (!armcii_mutex_is_held(set, mutex, owner)) {
        armcii_error(ARMCI_ERR_MUTEX, caller, "mutex", "this process does not hold the mutex", "%d of process %d", mutex, owner);
        return;
    }
    armcii_complete_everything();
    armcii_mutex_unlock(set, mutex, owner);
}

void PARMCI_Lock(int mutex, int proc)
{
    ARMCII_ENTER("ARMCI_Lock");
    if (entered) lock("ARMCI_Lock", world_set, mutex, proc);
}
ARMCII_ALIAS(ARMCI_Lock, PARMCI_Lock);

void PARMCI_Unlock(int mutex, int proc)
{
    ARMCII_ENTER("ARMCI_Unlock");
    if (entered) unlock("ARMCI_Unlock", world_set, mutex, proc);
}
ARMCII_ALIAS(ARMCI_Unlock, PARMCI_Unlock);

/* The set behind a public handle; NULL, with a message, if the handle is invalid. */
static struct mutex_set *check_handle(const char *caller, armcix_mutex_hdl_t hdl)
{
    struct handle *h = *handle_of(hdl);
    if (!h) armcii_error(ARMCI_ERR_HANDLE, caller, "hdl", "invalid handle", "%p", (void *)hdl);
    return h ? h->set : NULL;
}

static armcix_mutex_hdl_t make_handle(struct mutex_set *set)
{
    struct handle *h = malloc(sizeof *h);
    if (!h) armcii_fatal("out of memory for a set of mutexes");
    *h = (struct handle){set, NULL};
    *handle_of(NULL) = h; /* no set is NULL: appends to the list */
    return (armcix_mutex_hdl_t)set;
}

armcix_mutex_hdl_t PARMCIX_Create_mutexes_hdl(int count, ARMCI_Group *group)
{
    ARMCII_ENTER("ARMCIX_Create_mutexes_hdl");
    if (!entered) return NULL;
    struct team *team = group ? armcii_check_group("ARMCIX_Create_mutexes_hdl", group) : armcii_team_world();
    struct mutex_set *set = team ? create("ARMCIX_Create_mutexes_hdl", team, count) : NULL;
    return set ? make_handle(set) : NULL;
}
ARMCII_ALIAS(ARMCIX_Create_mutexes_hdl, PARMCIX_Create_mutexes_hdl);

int PARMCIX_Destroy_mutexes_hdl(armcix_mutex_hdl_t hdl)
{
    ARMCII_ENTER("ARMCIX_Destroy_mutexes_hdl");
    if (!entered) return ARMCI_ERR_STATE;
    if (!check_handle("ARMCIX_Destroy_mutexes_hdl", hdl)) return ARMCI_ERR_HANDLE;
    destroy_set_of(handle_of(hdl));
    return 0;
}
ARMCII_ALIAS(ARMCIX_Destroy_mutexes_hdl, PARMCIX_Destroy_mutexes_hdl);

void PARMCIX_Lock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc)
{
    ARMCII_ENTER("ARMCIX_Lock_hdl");
    struct mutex_set *set = entered ? check_handle("ARMCIX_Lock_hdl", hdl) : NULL;
    if (set) lock("ARMCIX_Lock_hdl", set, mutex, proc);
}
ARMCII_ALIAS(ARMCIX_Lock_hdl, PARMCIX_Lock_hdl);

int PARMCIX_Trylock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc)
{
    ARMCII_ENTER("ARMCIX_Trylock_hdl");
    struct mutex_set *set = entered ? check_handle("ARMCIX_Trylock_hdl", hdl) : NULL;
    if (!set || check_mutex("ARMCIX_Trylock_hdl", set, mutex, proc)) return 1;
    return !armcii_mutex_trylock(set, mutex, proc);
}
ARMCII_ALIAS(ARMCIX_Trylock_hdl, PARMCIX_Trylock_hdl);

void PARMCIX_Unlock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc)
{
    ARMCII_ENTER("ARMCIX_Unlock_hdl");
    struct mutex_set *set = entered ? check_handle("ARMCIX_Unlock_hdl", hdl) : NULL;
    if (set) unlock("ARMCIX_Unlock_hdl", set, mutex, proc);
}
ARMCII_ALIAS(ARMCIX_Unlock_hdl, PARMCIX_Unlock_hdl);

/* ---- notification ---- */

int parmci_notify(int proc)
{
    ARMCII_ENTER("armci_notify");
    if (!entered) return -ARMCI_ERR_STATE;
    int rc = armcii_check_process("armci_notify", "proc", proc);
    if (rc) return -rc;
    armcii_complete_process(proc);
    return armcii_notify_send(proc);
}
ARMCII_ALIAS(armci_notify, parmci_notify);

int parmci_notify_wait(int proc, int *pval)
{
    ARMCII_ENTER("armci_notify_wait");
    if (!entered) return -ARMCI_ERR_STATE;
    int rc = armcii_check_process("armci_notify_wait", "proc", proc);
    if (!rc) rc = armcii_check_pointer("armci_notify_wait", "pval", pval);
    return rc ? -rc : armcii_notify_wait(proc, pval);
}
ARMCII_ALIAS(armci_notify_wait, parmci_notify_wait);
