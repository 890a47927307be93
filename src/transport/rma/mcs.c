/* mcs.c - queueing locks by MPI. */
#include "transport/rma/mcs.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fault.h"
#include "transport/rma/mutex_msg.h"
#include "mpi/coll.h"
#include "mpi/quirks.h"
#include "mpi/rma.h"
#include "transport/rma/pending.h"
#include "mpi/world.h"

/* In each member's slice: one int for each mutex, the last in its queue as rank + 1, or 0. */
enum { FREE = 0 };

struct rma_mcs {
    unsigned long name; /* the same on all members, different from that of any other set they are in */
    struct team *team;
    struct window window;
    size_t *lead; /* [team size], displacement of the first tail */
};

static enum window_memory choose_memory(const struct team *team)
{
    bool one_node = armcii_world_is_one_node(team->size, team->to_world);
    return one_node && armcii_quirks->shared_windows_on_one_node ? WINDOW_MEMORY_SHARED : WINDOW_MEMORY_MPI;
}

struct rma_mcs *armcii_rma_mcs_create(struct team *team, int count, unsigned long name)
{
    struct rma_mcs *q = calloc(1, sizeof *q);
    size_t *lead = calloc((size_t)team->size, sizeof *lead), bytes = (size_t)count * sizeof(int);
    if (!q || !lead) armcii_fatal("out of memory for mutexes on %d processes", team->size);
    if (armcii_window_create(&q->window, bytes, armcii_quirks->slice_unit, choose_memory(team), team->comm) != 0) {
        free(lead);
        free(q);
        return NULL;
    }
    q->team = team;
    q->lead = lead;
    q->name = name;
    armcii_coll_allgather(&q->window.lead, lead, (int)sizeof *lead, team->comm);
    if (count > 0) memset(q->window.base, 0, bytes);
    armcii_window_sync(&q->window);
    armcii_coll_barrier(team->comm);
    return q;
}

void armcii_rma_mcs_free(struct rma_mcs *q)
{
    armcii_window_free(&q->window);
    free(q->lead);
    free(q);
}

static struct mutex_msg_key key_of(const struct rma_mcs *q, int member, int mutex)
{
    return (struct mutex_msg_key){q->name, member, mutex};
}

static MPI_Aint tail_of(const struct rma_mcs *q, int member, int mutex)
{
    return (MPI_Aint)(q->lead[member] + (size_t)mutex * sizeof(int));
}

/* Put the caller at the end of the queue; returns who was there, or FREE. */
static int swap_tail(struct rma_mcs *q, int member, int mutex)
{
    int me = q->team->rank + 1, before;
    armcii_rma_fetch_and_op(&q->window, RMW_REPLACE, member, tail_of(q, member, mutex), sizeof(int), &me, &before);
    armcii_rma_flush(&q->window, member, q->team->to_world[member]);
    return before;
}

/* If the tail is `expected`, make it `desired`; returns what it was. */
static int compare_and_swap_tail(struct rma_mcs *q, int member, int mutex, int expected, int desired)
{
    int before;
    armcii_rma_compare_and_swap(&q->window, member, tail_of(q, member, mutex), expected, desired, &before);
    armcii_rma_flush(&q->window, member, q->team->to_world[member]);
    return before;
}

void armcii_rma_mcs_lock(struct rma_mcs *q, int member, int mutex)
{
    armcii_window_progress(armcii_world->control); /* a node that locks in a loop would keep the others' requests waiting */
    int before = swap_tail(q, member, mutex);
    if (before == FREE || armcii_fault("lock-does-not-wait")) return;
    armcii_mutex_msg_send(MUTEX_MSG_LINK, key_of(q, member, mutex), q->team->to_world[before - 1]);
    armcii_mutex_msg_wait(MUTEX_MSG_GRANT, key_of(q, member, mutex));
}

bool armcii_rma_mcs_trylock(struct rma_mcs *q, int member, int mutex)
{
    return compare_and_swap_tail(q, member, mutex, FREE, q->team->rank + 1) == FREE;
}

void armcii_rma_mcs_unlock(struct rma_mcs *q, int member, int mutex)
{
    int me = q->team->rank + 1;
    if (compare_and_swap_tail(q, member, mutex, me, FREE) == me) return;
    int next = armcii_mutex_msg_wait(MUTEX_MSG_LINK, key_of(q, member, mutex));
    armcii_mutex_msg_send(MUTEX_MSG_GRANT, key_of(q, member, mutex), next);
}
