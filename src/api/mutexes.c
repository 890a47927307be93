/* mutexes.c - sets of mutexes over a team (ARMCI's own set is over the world), and those that this
 * process holds. The processes that wait queue as the route says. */
#include <limits.h>
#include <stdlib.h>

#include "api/entry.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/thread.h"
#include "core/op.h"
#include "mpi/coll.h"
#include "mpi/world.h"
#include "transport/route.h"

/* A mutex that a thread of this process holds, or waits for. */
struct held {
    struct held *next;
    int mutex, owner;
    unsigned short tickets, served; /* of threads that lock it: they get it in that order */
    unsigned long thread; /* the number of that which holds it or has asked for it; 0: none */
};

enum { BUCKETS = 64 };
struct mutex_set {
    struct team *team;
    int *count;                 /* [team size] */
    struct held *held[BUCKETS]; /* by mutex and owner */
    unsigned long name;         /* unique, the same on all members */
    const struct mutexes *queueing;
    void *queues;           /* state of queueing; NULL if the set is empty */
    struct mutex_set *next; /* of the sets of the extension */
};

static struct {
    struct mutex_set *world_set;
    /* The live sets of the extension, oldest first: any other handle is invalid. */
    struct mutex_set *sets;
    struct held *unused;
    unsigned long names; /* that this process has given to sets */
} mutexes;

/* ---- what is held ---- */

/* The link that points to the entry of the mutex, or to NULL if no thread of this process holds it
 * or waits for it. */
static struct held **find_held(struct mutex_set *set, int mutex, int owner)
{
    struct held **link = &set->held[((unsigned)mutex + 7 * (unsigned)owner) % BUCKETS];
    while (*link && ((*link)->mutex != mutex || (*link)->owner != owner))
        link = &(*link)->next;
    return link;
}

/* The entry of a mutex that the caller is about to hold or wait for; made if there is none. */
static struct held *need_held(struct mutex_set *set, int mutex, int owner)
{
    struct held **link = find_held(set, mutex, owner), *h = *link;
    if (h) return h;
    h = mutexes.unused;
    if (h)
        mutexes.unused = h->next;
    else
        h = armcii_alloc(1, sizeof *h, "a mutex that is held");
    *h = (struct held){.mutex = mutex, .owner = owner};
    return *link = h;
}

/* Note that the caller's thread no longer holds the mutex. */
static void end_held(struct mutex_set *set, int mutex, int owner)
{
    struct held **link = find_held(set, mutex, owner), *h = *link;
    h->thread = 0;
    if (++h->served != h->tickets) return;
    *link = h->next;
    h->next = mutexes.unused;
    mutexes.unused = h;
}

static void free_list(struct held *list)
{
    while (list) {
        struct held *h = list;
        list = h->next;
        free(h);
    }
}

static bool is_held(struct mutex_set *set, int mutex, int owner)
{
    const struct held *h = *find_held(set, mutex, owner);
    return h && h->thread;
}

static bool is_mine(struct mutex_set *set, int mutex, int owner)
{
    const struct held *h = *find_held(set, mutex, owner);
    return h && h->thread == armcii_thread_number();
}

/* ---- sets ---- */

static void free_set(struct mutex_set *set)
{
    for (int i = 0; i < BUCKETS; i++)
        free_list(set->held[i]);
    free(set->count);
    free(set);
}

static struct mutex_set *allocate_set(const struct team *team)
{
    struct mutex_set *set = armcii_alloc(1, sizeof *set, "a set of mutexes");
    set->count =
        armcii_alloc((size_t)team->size, sizeof *set->count, "mutexes on %d processes", team->size);
    return set;
}

/* The number of mutexes of all members; -1 if a count is negative or there are too many. */
static long count_mutexes(const struct mutex_set *set, const struct team *team)
{
    long all = 0;
    for (int i = 0; i < team->size; i++) {
        if (set->count[i] < 0) return -1;
        all += set->count[i];
        if (all > INT_MAX) return -1;
    }
    return all;
}

/* The first member's rank and a number that it has not used before: unique, whatever threads create
 * sets. */
static unsigned long name_of_new_set(const struct team *team)
{
    unsigned long name =
        (unsigned long)(unsigned)armcii_world->rank << 32 | (++mutexes.names & 0xffffffffu);
    armcii_coll_bcast(&name, (int)sizeof name, 0, team->comm);
    return name;
}

static bool create_queues(struct mutex_set *set, struct team *team, long total)
{
    if (total <= 0) return total == 0;
    set->queueing = armcii_route_mutexes(team);
    set->queues = set->queueing->create(team, set->count, set->name);
    return set->queues != NULL;
}

/* Collective over the team. NULL, on every member, if memory runs out or a count is negative. */
static struct mutex_set *create_set(struct team *team, int count)
{
    struct mutex_set *set = allocate_set(team);
    armcii_coll_allgather(&count, set->count, (int)sizeof count, team->comm);
    set->name = name_of_new_set(team);
    if (!create_queues(set, team, count_mutexes(set, team))) {
        free_set(set);
        return NULL;
    }
    set->team = team;
    armcii_team_hold(team);
    return set;
}

/* Collective. */
static void destroy_set(struct mutex_set *set)
{
    armcii_fence_team(set->team); /* unlocks, too */
    armcii_coll_barrier(set->team->comm);
    if (set->queues) set->queueing->free(set->queues);
    armcii_team_release(set->team);
    free_set(set);
}

/* A process has one place in the queue, so threads of one process queue here. Other threads see the
 * mutex as held while this one waits in the queue. */
static void reserve(struct held *h)
{
    struct backoff p = {0};
    const unsigned short ticket = h->tickets++;
    while (h->served != ticket)
        armcii_lock_backoff(&p);
    h->thread = armcii_thread_number();
}

static void acquire(struct mutex_set *set, int mutex, int owner)
{
    reserve(need_held(set, mutex, owner));
    set->queueing->lock(set->queues, owner, mutex);
}

static bool try_acquire(struct mutex_set *set, int mutex, int owner)
{
    if (*find_held(set, mutex, owner)) return false;
    reserve(need_held(set, mutex, owner));
    bool got = set->queueing->trylock(set->queues, owner, mutex);
    if (!got) end_held(set, mutex, owner);
    return got;
}

/* ---- the interface ---- */

/* The link that points to the set, or to NULL if the list has no such set. */
static struct mutex_set **find(const void *set)
{
    struct mutex_set **link = &mutexes.sets;
    while (*link && (const void *)*link != set)
        link = &(*link)->next;
    return link;
}

static void destroy_in_list(struct mutex_set **link)
{
    struct mutex_set *set = *link;
    *link = set->next;
    destroy_set(set);
}

static void destroy_world_set(void)
{
    if (mutexes.world_set) destroy_set(mutexes.world_set);
    mutexes.world_set = NULL;
}

/* Threads may have created sets in different orders: all members destroy them in the order of the
 * names. */
void armcii_mutexes_end(void)
{
    destroy_world_set();
    while (mutexes.sets) {
        struct mutex_set **least = &mutexes.sets;
        for (struct mutex_set **link = least; *link; link = &(*link)->next)
            if ((*link)->name < (*least)->name) least = link;
        destroy_in_list(least);
    }
    free_list(mutexes.unused);
    mutexes.unused = NULL;
}

static struct mutex_set *create(const char *caller, struct team *team, int count)
{
    struct mutex_set *set = create_set(team, count);
    if (set) return set;
    if (count < 0)
        armcii_check_count(caller, "count", count);
    else
        armcii_error(ARMCI_ERR_MEMORY, caller, "count",
                     "out of memory, or another process requests a negative count", "%d", count);
    return NULL;
}

int PARMCI_Create_mutexes(int count)
{
    ARMCII_ENTER(CALLER);
    if (!entered) return ARMCI_ERR_STATE;
    if (mutexes.world_set)
        return armcii_error(ARMCI_ERR_MUTEX, CALLER, "count",
                            "mutexes exist already: destroy them first", "%d", count);
    mutexes.world_set = create(CALLER, armcii_team_world(), count);
    if (mutexes.world_set) return 0;
    return count < 0 ? ARMCI_ERR_COUNT : ARMCI_ERR_MEMORY;
}
ARMCII_ALIAS(ARMCI_Create_mutexes, PARMCI_Create_mutexes);

int PARMCI_Destroy_mutexes(void)
{
    ARMCII_ENTER(CALLER);
    if (!entered) return ARMCI_ERR_STATE;
    if (!mutexes.world_set)
        return armcii_error(ARMCI_ERR_MUTEX, CALLER, "mutexes", "no mutexes exist", "%s", "none");
    destroy_world_set();
    return 0;
}
ARMCII_ALIAS(ARMCI_Destroy_mutexes, PARMCI_Destroy_mutexes);

static int check_mutex(const char *caller, const struct mutex_set *set, int mutex, int owner)
{
    if (!set)
        return armcii_error(ARMCI_ERR_MUTEX, caller, "mutex", "no mutexes exist", "%d", mutex);
    int count = owner >= 0 && owner < set->team->size ? set->count[owner] : -1;
    if (count < 0) return armcii_error(ARMCI_ERR_RANK, caller, "proc", "invalid rank", "%d", owner);
    if (mutex >= 0 && mutex < count) return 0;
    return armcii_error(ARMCI_ERR_MUTEX, caller, "mutex", "the process owns no such mutex",
                        "%d (process %d has %d)", mutex, owner, count);
}

static void lock(const char *caller, struct mutex_set *set, int mutex, int owner)
{
    if (check_mutex(caller, set, mutex, owner)) return;
    if (armcii_lock.enabled ? is_mine(set, mutex, owner) : is_held(set, mutex, owner))
        armcii_error(ARMCI_ERR_MUTEX, caller, "mutex", "this process holds the mutex already",
                     "%d of process %d", mutex, owner);
    else
        acquire(set, mutex, owner);
}

/* Operations under the lock complete before the next holder continues. */
static void unlock(const char *caller, struct mutex_set *set, int mutex, int owner)
{
    if (check_mutex(caller, set, mutex, owner)) return;
    if (!is_held(set, mutex, owner)) {
        armcii_error(ARMCI_ERR_MUTEX, caller, "mutex", "this process does not hold the mutex",
                     "%d of process %d", mutex, owner);
        return;
    }
    armcii_complete_all();
    set->queueing->unlock(set->queues, owner, mutex);
    end_held(set, mutex, owner);
}

void PARMCI_Lock(int mutex, int proc)
{
    ARMCII_ENTER(CALLER);
    if (entered) lock(CALLER, mutexes.world_set, mutex, proc);
}
ARMCII_ALIAS(ARMCI_Lock, PARMCI_Lock);

void PARMCI_Unlock(int mutex, int proc)
{
    ARMCII_ENTER(CALLER);
    if (entered) unlock(CALLER, mutexes.world_set, mutex, proc);
}
ARMCII_ALIAS(ARMCI_Unlock, PARMCI_Unlock);

/* The set of a public handle; NULL, with a message, if the handle is invalid. */
static struct mutex_set *check_handle(const char *caller, armcix_mutex_hdl_t hdl)
{
    struct mutex_set *set = *find(hdl);
    if (!set) armcii_error(ARMCI_ERR_HANDLE, caller, "hdl", "invalid handle", "%p", (void *)hdl);
    return set;
}

armcix_mutex_hdl_t PARMCIX_Create_mutexes_hdl(int count, ARMCI_Group *group)
{
    ARMCII_ENTER(CALLER);
    if (!entered) return NULL;
    struct team *team = group ? armcii_check_group(CALLER, "group", group) : armcii_team_world();
    struct mutex_set *set = team ? create(CALLER, team, count) : NULL;
    if (set) *find(NULL) = set; /* at the end of the list */
    return (armcix_mutex_hdl_t)set;
}
ARMCII_ALIAS(ARMCIX_Create_mutexes_hdl, PARMCIX_Create_mutexes_hdl);

int PARMCIX_Destroy_mutexes_hdl(armcix_mutex_hdl_t hdl)
{
    ARMCII_ENTER(CALLER);
    if (!entered) return ARMCI_ERR_STATE;
    if (!check_handle(CALLER, hdl)) return ARMCI_ERR_HANDLE;
    destroy_in_list(find(hdl));
    return 0;
}
ARMCII_ALIAS(ARMCIX_Destroy_mutexes_hdl, PARMCIX_Destroy_mutexes_hdl);

void PARMCIX_Lock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc)
{
    ARMCII_ENTER(CALLER);
    struct mutex_set *set = entered ? check_handle(CALLER, hdl) : NULL;
    if (set) lock(CALLER, set, mutex, proc);
}
ARMCII_ALIAS(ARMCIX_Lock_hdl, PARMCIX_Lock_hdl);

int PARMCIX_Trylock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc)
{
    ARMCII_ENTER(CALLER);
    struct mutex_set *set = entered ? check_handle(CALLER, hdl) : NULL;
    if (!set || check_mutex(CALLER, set, mutex, proc)) return 1;
    return !try_acquire(set, mutex, proc);
}
ARMCII_ALIAS(ARMCIX_Trylock_hdl, PARMCIX_Trylock_hdl);

void PARMCIX_Unlock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc)
{
    ARMCII_ENTER(CALLER);
    struct mutex_set *set = entered ? check_handle(CALLER, hdl) : NULL;
    if (set) unlock(CALLER, set, mutex, proc);
}
ARMCII_ALIAS(ARMCIX_Unlock_hdl, PARMCIX_Unlock_hdl);
