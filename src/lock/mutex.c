/* mutex.c - the queueing lock. */
#include "lock/mutex.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/guard.h"
#include "base/mutant.h"
#include "gmr/region.h"
#include "lock/letter.h"
#include "mpi/rma.h"
#include "team/world.h"

/* In the host's slice: one int for each mutex, the last in its queue as rank + 1, or 0. */
enum { FREE = 0 };

struct held {
    int host, mutex;
    struct held *next;
};

struct mutex_set {
    int id;               /* the same on all members, different from that of any other set they are in */
    struct team *team;
    struct region *region; /* NULL: no mutex at all */
    int *count;           /* [team size] */
    struct held *held;    /* by this process */
};

static int last_id;

static void agree_on_id(struct mutex_set *set)
{
    int mine = last_id + 1;
    MPI_Allreduce(&mine, &last_id, 1, MPI_INT, MPI_MAX, set->team->comm);
    set->id = last_id;
}

static void free_set(struct mutex_set *set)
{
    free(set->count);
    free(set);
}

struct mutex_set *armcii_mutexes_create(struct team *team, int count)
{
    bool nothing;
    struct mutex_set *set = calloc(1, sizeof *set);
    int *counts = malloc((size_t)team->size * sizeof *counts);
    if (!set || !counts) armcii_fatal("out of memory for mutexes on %d processes", team->size);
    set->team = team;
    set->count = counts;
    MPI_Allgather(&count, 1, MPI_INT, counts, 1, MPI_INT, team->comm);
    set->region = armcii_region_create(team, (long)count * (long)sizeof(int), &nothing);
    if (!set->region && !nothing) {
        free_set(set);
        return NULL;
    }
    agree_on_id(set);
    if (count > 0) memset(set->region->window.base, 0, (size_t)count * sizeof(int));
    if (set->region) armcii_window_sync(&set->region->window);
    MPI_Barrier(team->comm);
    armcii_team_hold(team);
    return set;
}

void armcii_mutexes_destroy(struct mutex_set *set)
{
    MPI_Barrier(set->team->comm);
    if (set->region) armcii_region_free(set->region);
    armcii_team_release(set->team);
    while (set->held) {
        struct held *h = set->held;
        set->held = h->next;
        free(h);
    }
    free_set(set);
}

int armcii_mutexes_count(const struct mutex_set *set, int host)
{
    return host >= 0 && host < set->team->size ? set->count[host] : -1;
}

static struct held **find(struct mutex_set *set, int mutex, int host)
{
    struct held **link = &set->held;
    while (*link && ((*link)->mutex != mutex || (*link)->host != host)) link = &(*link)->next;
    return link;
}

bool armcii_mutex_is_held(const struct mutex_set *set, int mutex, int host)
{
    return *find((struct mutex_set *)set, mutex, host) != NULL;
}

static void note_held(struct mutex_set *set, int mutex, int host)
{
    struct held *h = malloc(sizeof *h);
    if (!h) armcii_fatal("out of memory for a held mutex");
    *h = (struct held){host, mutex, set->held};
    set->held = h;
}

static struct letter_key key_of(const struct mutex_set *set, int mutex, int host)
{
    return (struct letter_key){set->id, host, mutex};
}

/* Where a mutex's tail is in the host's part of the window. */
static MPI_Aint tail_of(const struct mutex_set *set, int mutex, int host)
{
    return (MPI_Aint)(set->region->lead[host] + (size_t)mutex * sizeof(int));
}

/* Put the caller at the end of the queue; returns who was there, or FREE. */
static int swap_tail(struct mutex_set *set, int mutex, int host)
{
    int me = set->team->rank + 1, before;
    struct window *w = &set->region->window;
    armcii_rma_fetch_and_op(w, RMA_UPDATE_REPLACE, host, tail_of(set, mutex, host), sizeof(int), &me, &before);
    armcii_window_flush(w, host);
    return before;
}

/* If the tail is `expected`, make it `desired`; returns what it was. */
static int compare_and_swap_tail(struct mutex_set *set, int mutex, int host, int expected, int desired)
{
    int before;
    struct window *w = &set->region->window;
    armcii_rma_compare_and_swap(w, host, tail_of(set, mutex, host), expected, desired, &before);
    armcii_window_flush(w, host);
    return before;
}

/* Another thread of this process holds it, or waits for it: the queue knows processes, so wait here. */
static void wait_for_other_threads(struct mutex_set *set, int mutex, int host)
{
    while (armcii_mutex_is_held(set, mutex, host)) {
        armcii_guard_unlock();
        sched_yield();
        armcii_guard_lock();
    }
}

void armcii_mutex_lock(struct mutex_set *set, int mutex, int host)
{
    wait_for_other_threads(set, mutex, host);
    armcii_window_progress(armcii_world->control); /* a host that locks in a loop would keep the others' requests waiting */
    note_held(set, mutex, host);
    int before = swap_tail(set, mutex, host);
    if (before == FREE || armcii_mutant("lock-does-not-wait")) return;
    struct letter_key key = key_of(set, mutex, host);
    armcii_letter_send(LETTER_NEXT, key, set->team->to_world[before - 1]);
    armcii_letter_wait(LETTER_GRANT, key);
}

bool armcii_mutex_trylock(struct mutex_set *set, int mutex, int host)
{
    if (armcii_mutex_is_held(set, mutex, host)) return false;
    if (compare_and_swap_tail(set, mutex, host, FREE, set->team->rank + 1) != FREE) return false;
    note_held(set, mutex, host);
    return true;
}

void armcii_mutex_unlock(struct mutex_set *set, int mutex, int host)
{
    int me = set->team->rank + 1;
    if (compare_and_swap_tail(set, mutex, host, me, FREE) != me) {
        struct letter_key key = key_of(set, mutex, host);
        int next = armcii_letter_wait(LETTER_NEXT, key);
        armcii_letter_send(LETTER_GRANT, key, next);
    }
    struct held **link = find(set, mutex, host);
    struct held *h = *link;
    *link = h->next;
    free(h);
}
