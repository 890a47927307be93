/* mutex.c - sets of mutexes: counts, the mutexes that this process holds, and the transport that queues the others. */
#include "core/mutex.h"

#include <limits.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/lock.h"
#include "mpi/coll.h"
#include "mpi/world.h"
#include "transport/transport.h"

/* State of a mutex in this process. */
struct held {
    unsigned slot;                  /* 0: not held; else the transport's slot + 1 */
    unsigned short tickets, served; /* of threads that lock it: they get it in that order */
    const void *thread;             /* the thread that holds it or waits for the transport */
};

struct mutex_set {
    struct team *team;
    int *count;         /* [team size] */
    unsigned *first;    /* [team size], number of a member's first mutex */
    struct held *held;  /* [all mutexes] */
    unsigned long name; /* unique, the same on all members */
    const struct transport *transport;
    void *queues; /* the transport's state; NULL if the set is empty */
};

static void free_set(struct mutex_set *set)
{
    free(set->count);
    free(set->first);
    free(set->held);
    free(set);
}

static struct mutex_set *allocate_set(const struct team *team)
{
    struct mutex_set *set = calloc(1, sizeof *set);
    if (!set) armcii_fatal("out of memory for mutexes on %d processes", team->size);
    set->count = calloc((size_t)team->size, sizeof *set->count);
    set->first = calloc((size_t)team->size, sizeof *set->first);
    if (!set->count || !set->first) armcii_fatal("out of memory for mutexes on %d processes", team->size);
    return set;
}

/* Number the mutexes of all members; false if a count is negative or the total exceeds INT_MAX. */
static bool number_mutexes(struct mutex_set *set, const struct team *team, unsigned *total)
{
    size_t all = 0;
    for (int i = 0; i < team->size; i++) {
        set->first[i] = (unsigned)all;
        if (set->count[i] < 0) return false;
        all += (size_t)set->count[i];
        if (all > INT_MAX) return false;
    }
    *total = (unsigned)all;
    return true;
}

/* The first member's rank and a number that it has not used before: unique, whatever threads create sets. */
static unsigned long name_of_new_set(const struct team *team)
{
    static unsigned long used;
    unsigned long name = (unsigned long)(unsigned)armcii_world->rank << 32 | (++used & 0xffffffffu);
    armcii_coll_bcast(&name, (int)sizeof name, 0, team->comm);
    return name;
}

static bool create_queues(struct mutex_set *set, struct team *team, unsigned total)
{
    if (total == 0) return true;
    for (const struct transport **t = armcii_transports; *t && !set->transport; t++)
        if (!(*t)->has_mutexes || (*t)->has_mutexes(team, total)) set->transport = *t;
    if (set->transport) set->queues = set->transport->mutexes_create(team, set->count, total, set->name);
    return set->queues != NULL;
}

struct mutex_set *armcii_mutexes_create(struct team *team, int count)
{
    unsigned total;
    struct mutex_set *set = allocate_set(team);
    armcii_coll_allgather(&count, set->count, (int)sizeof count, team->comm);
    set->name = name_of_new_set(team);
    if (!number_mutexes(set, team, &total) || !create_queues(set, team, total)) {
        free_set(set);
        return NULL;
    }
    set->held = calloc((size_t)total + 1, sizeof *set->held);
    if (!set->held) armcii_fatal("out of memory for %u mutexes", total);
    set->team = team;
    armcii_team_hold(team);
    return set;
}

void armcii_mutexes_destroy(struct mutex_set *set)
{
    armcii_coll_barrier(set->team->comm);
    if (set->queues) set->transport->mutexes_free(set->queues);
    armcii_team_release(set->team);
    free_set(set);
}

unsigned long armcii_mutexes_name(const struct mutex_set *set)
{
    return set->name;
}

int armcii_mutexes_count(const struct mutex_set *set, int owner)
{
    return owner >= 0 && owner < set->team->size ? set->count[owner] : -1;
}

static struct held *held(const struct mutex_set *set, int mutex, int owner)
{
    return &set->held[set->first[owner] + (unsigned)mutex];
}

bool armcii_mutex_is_held(const struct mutex_set *set, int mutex, int owner)
{
    return held(set, mutex, owner)->slot != 0;
}

bool armcii_mutex_is_mine(const struct mutex_set *set, int mutex, int owner)
{
    const struct held *h = held(set, mutex, owner);
    return h->slot != 0 && h->thread == armcii_lock_thread_id();
}

/* A slot in the queue is for a process, so threads of one process queue here. */
static void wait_for_other_threads(struct held *h)
{
    struct backoff p = {0};
    unsigned short ticket = h->tickets++;
    while (h->slot != 0 || h->served != ticket)
        armcii_lock_backoff(&p);
    h->served++;
}

/* Other threads see it as held while this one waits for the transport. */
static void reserve(struct held *h)
{
    h->slot = UINT_MAX;
    h->thread = armcii_lock_thread_id();
}

void armcii_mutex_lock(struct mutex_set *set, int mutex, int owner)
{
    struct held *h = held(set, mutex, owner);
    unsigned slot = 0;
    wait_for_other_threads(h);
    reserve(h);
    set->transport->lock(set->queues, owner, mutex, &slot);
    h->slot = slot + 1;
}

bool armcii_mutex_trylock(struct mutex_set *set, int mutex, int owner)
{
    struct held *h = held(set, mutex, owner);
    unsigned slot = 0;
    if (h->slot != 0 || h->served != h->tickets) return false;
    reserve(h);
    bool taken = set->transport->trylock(set->queues, owner, mutex, &slot);
    h->slot = taken ? slot + 1 : 0;
    return taken;
}

void armcii_mutex_unlock(struct mutex_set *set, int mutex, int owner)
{
    set->transport->unlock(set->queues, owner, mutex, held(set, mutex, owner)->slot - 1);
    held(set, mutex, owner)->slot = 0;
}
