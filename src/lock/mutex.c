/* mutex.c - sets of mutexes: which exist, which this process holds, and by which kind of queue. */
#include "lock/mutex.h"

#include <limits.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/guard.h"
#include "lock/host_queues.h"
#include "lock/rma_queues.h"
#include "lock/server_queues.h"
#include "mpi/patient.h"
#include "server/server.h"
#include "shm/host.h"
#include "team/world.h"

/* A mutex as this process has it. */
struct held {
    unsigned place;     /* 0: not held; else the place in the queue + 1 */
    const void *thread; /* whose it is, or who waits for it */
};

struct mutex_set {
    struct team *team;
    int *count;      /* [team size] */
    unsigned *first; /* [team size], number of a member's first mutex */
    struct held *held; /* [all mutexes] */
    unsigned long name;       /* the same on all members, and no other set's */
    struct host_queues *host; /* the members are on one host; else NULL */
    bool served;              /* they are not, and agents keep the queues */
    struct rma_queues *rma;   /* neither; NULL too where there is no mutex at all */
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

/* Number the mutexes of all members; false where a count is negative or the total more than INT_MAX. */
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

/* Places in queues are numbered by unsigned ints. */
static bool suits_host_queues(const struct team *team, unsigned total)
{
    return armcii_host->kind != SEGMENT_NONE && armcii_world_is_one_host(team->size, team->to_world) &&
           (size_t)total * (size_t)team->size < UINT_MAX;
}

/* The first member's rank and a number that it has not used before: no two sets at one time have both alike, whichever threads make them.
 */
static unsigned long name_of_new_set(const struct team *team)
{
    static unsigned long used;
    unsigned long name = (unsigned long)(unsigned)armcii_world->rank << 32 | (++used & 0xffffffffu);
    armcii_patient_bcast(&name, (int)sizeof name, 0, team->comm);
    return name;
}

static bool create_queues(struct mutex_set *set, struct team *team, unsigned total)
{
    if (total == 0) return true;
    if (suits_host_queues(team, total))
        set->host = armcii_host_queues_create(team, set->count, total);
    else if (armcii_server_on)
        set->served = true;
    else
        set->rma = armcii_rma_queues_create(team, set->count[team->rank], set->name);
    return set->host || set->served || set->rma;
}

struct mutex_set *armcii_mutexes_create(struct team *team, int count)
{
    unsigned total;
    struct mutex_set *set = allocate_set(team);
    armcii_patient_allgather(&count, set->count, (int)sizeof count, team->comm);
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
    armcii_patient_barrier(set->team->comm);
    if (set->host) armcii_host_queues_free(set->host);
    if (set->rma) armcii_rma_queues_free(set->rma);
    armcii_team_release(set->team);
    free_set(set);
}

unsigned long armcii_mutexes_name(const struct mutex_set *set)
{
    return set->name;
}

int armcii_mutexes_count(const struct mutex_set *set, int host)
{
    return host >= 0 && host < set->team->size ? set->count[host] : -1;
}

static struct held *held(const struct mutex_set *set, int mutex, int host)
{
    return &set->held[set->first[host] + (unsigned)mutex];
}

bool armcii_mutex_is_held(const struct mutex_set *set, int mutex, int host)
{
    return held(set, mutex, host)->place != 0;
}

bool armcii_mutex_is_mine(const struct mutex_set *set, int mutex, int host)
{
    const struct held *h = held(set, mutex, host);
    return h->place != 0 && h->thread == armcii_guard_thread();
}

/* Another thread of this process holds it, or waits for it: a place in the queue is for a process, so wait here. */
static void wait_for_other_threads(const struct mutex_set *set, int mutex, int host)
{
    struct patience p = {0};
    while (armcii_mutex_is_held(set, mutex, host)) armcii_guard_wait_turn(&p);
}

void armcii_mutex_lock(struct mutex_set *set, int mutex, int host)
{
    wait_for_other_threads(set, mutex, host);
    *held(set, mutex, host) = (struct held){UINT_MAX, armcii_guard_thread()}; /* other threads see it while this one waits */
    if (set->host)
        held(set, mutex, host)->place = armcii_host_queue_take(set->host, host, mutex) + 1;
    else if (set->served)
        armcii_server_queue_take(set->name, set->team->to_world[host], mutex);
    else
        armcii_rma_queue_take(set->rma, host, mutex);
}

bool armcii_mutex_trylock(struct mutex_set *set, int mutex, int host)
{
    unsigned place = 0;
    bool taken;
    if (armcii_mutex_is_held(set, mutex, host)) return false;
    *held(set, mutex, host) = (struct held){UINT_MAX, armcii_guard_thread()}; /* other threads see it while an agent is asked */
    if (set->host)
        taken = armcii_host_queue_try(set->host, host, mutex, &place);
    else if (set->served)
        taken = armcii_server_queue_try(set->name, set->team->to_world[host], mutex);
    else
        taken = armcii_rma_queue_try(set->rma, host, mutex);
    held(set, mutex, host)->place = taken ? place + 1 : 0;
    return taken;
}

void armcii_mutex_unlock(struct mutex_set *set, int mutex, int host)
{
    unsigned place = held(set, mutex, host)->place - 1;
    if (set->host)
        armcii_host_queue_leave(set->host, host, mutex, place);
    else if (set->served)
        armcii_server_queue_leave(set->name, set->team->to_world[host], mutex);
    else
        armcii_rma_queue_leave(set->rma, host, mutex);
    held(set, mutex, host)->place = 0;
}
