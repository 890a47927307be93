/* mcs.c - MCS locks over MPI, whose tails are in the owners' windows and whose links are mutex
 * messages between waiters. They need no memory per waiter and no polling over the network. A wait
 * releases the global lock at each backoff step. */
#include "transport/rma/rma.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/lock.h"
#include "mpi/coll.h"
#include "mpi/quirks.h"
#include "mpi/progress.h"
#include "mpi/world.h"

/* ---- mutex messages: LINK from a waiter to its predecessor, GRANT from the holder to its
 * successor ---- */

/* Identifies a mutex. */
struct mutex_msg_key {
    unsigned long set;
    int owner, mutex;
};

struct mutex_msg {
    int tag;
    struct mutex_msg_key key;
    int from;
    struct mutex_msg *next;
};

static struct mutex_msg *received; /* in order of arrival */

static void send_msg(int tag, struct mutex_msg_key key, int to)
{
    MPI_Send(&key, (int)sizeof key, MPI_BYTE, to, tag, armcii_world->control);
}

static bool same(struct mutex_msg_key a, struct mutex_msg_key b)
{
    return a.set == b.set && a.owner == b.owner && a.mutex == b.mutex;
}

/* Removes a matching message from the received ones; returns its sender, or -1. */
static int take_received(int tag, struct mutex_msg_key key)
{
    for (struct mutex_msg **link = &received; *link; link = &(*link)->next) {
        struct mutex_msg *m = *link;
        if (m->tag != tag || !same(m->key, key)) continue;
        int from = m->from;
        *link = m->next;
        free(m);
        return from;
    }
    return -1;
}

/* Receives one message with that tag, if one has arrived. */
static bool receive(int tag)
{
    int arrived;
    struct mutex_msg_key key;
    MPI_Message message;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, tag, armcii_world->control, &arrived, &message, &status);
    if (!arrived) return false;
    MPI_Mrecv(&key, (int)sizeof key, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    struct mutex_msg *m = armcii_alloc(1, sizeof *m, "a mutex message");
    *m = (struct mutex_msg){tag, key, status.MPI_SOURCE, NULL};
    struct mutex_msg **link = &received;
    while (*link)
        link = &(*link)->next;
    *link = m;
    return true;
}

static int wait_for_msg(int tag, struct mutex_msg_key key)
{
    struct backoff p = {0};
    for (;;) {
        int from = take_received(tag, key);
        if (from >= 0) return from;
        if (receive(tag)) continue;
        armcii_lock_backoff(&p);
    }
}

/* ---- queues ---- */

/* The slice of an owner has one int for each mutex: the rank + 1 of the last process in its queue,
 * or FREE. */
enum { FREE = 0 };

struct rma_mcs {
    unsigned long name; /* the same on all members; unique among their sets */
    struct team *team;
    struct window window;
    size_t *pad; /* [team size]: displacement of the first tail */
};

static void *create(struct team *team, const int count[], unsigned long name)
{
    size_t bytes = (size_t)count[team->rank] * sizeof(int);
    struct rma_mcs *q = armcii_alloc(1, sizeof *q, "mutexes on %d processes", team->size);
    size_t *pad =
        armcii_alloc((size_t)team->size, sizeof *pad, "mutexes on %d processes", team->size);
    if (armcii_window_create(&q->window, bytes, armcii_quirks->slice_unit,
                             armcii_rma_window_memory(team), team->comm) != 0) {
        free(pad);
        free(q);
        return NULL;
    }
    q->team = team;
    q->pad = pad;
    q->name = name;
    armcii_coll_allgather(&q->window.pad, pad, (int)sizeof *pad, team->comm);
    if (bytes > 0) memset(q->window.base, 0, bytes);
    armcii_window_sync(&q->window);
    armcii_coll_barrier(team->comm);
    return q;
}

static void free_set(void *set)
{
    struct rma_mcs *q = set;
    armcii_window_free(&q->window);
    free(q->pad);
    free(q);
}

static struct mutex_msg_key key_of(const struct rma_mcs *q, int owner, int mutex)
{
    return (struct mutex_msg_key){q->name, owner, mutex};
}

static MPI_Aint tail_of(const struct rma_mcs *q, int owner, int mutex)
{
    return (MPI_Aint)(q->pad[owner] + (size_t)mutex * sizeof(int));
}

/* Appends the caller to the queue; returns the former tail. */
static int swap_tail(struct rma_mcs *q, int owner, int mutex)
{
    int me = q->team->rank + 1, before;
    armcii_window_fetch_and_op(&q->window, RMW_REPLACE, owner, tail_of(q, owner, mutex),
                               sizeof(int), &me, &before);
    armcii_rma_flush(&q->window, owner, q->team->to_world[owner]);
    return before;
}

/* Returns the former tail. */
static int compare_and_swap_tail(struct rma_mcs *q, int owner, int mutex, int expected, int desired)
{
    int before;
    armcii_window_compare_and_swap(&q->window, owner, tail_of(q, owner, mutex), expected, desired,
                                   &before);
    armcii_rma_flush(&q->window, owner, q->team->to_world[owner]);
    return before;
}

static void lock(void *set, int owner, int mutex)
{
    struct rma_mcs *q = set;
    armcii_mpi_progress(
        armcii_world
            ->control); /* a node that locks in a loop would starve requests of other nodes */
    int before = swap_tail(q, owner, mutex);
    if (before == FREE) return;
    send_msg(CONTROL_MUTEX_LINK, key_of(q, owner, mutex), q->team->to_world[before - 1]);
    wait_for_msg(CONTROL_MUTEX_GRANT, key_of(q, owner, mutex));
}

static bool trylock(void *set, int owner, int mutex)
{
    struct rma_mcs *q = set;
    return compare_and_swap_tail(q, owner, mutex, FREE, q->team->rank + 1) == FREE;
}

static void unlock(void *set, int owner, int mutex)
{
    struct rma_mcs *q = set;
    int me = q->team->rank + 1;
    if (compare_and_swap_tail(q, owner, mutex, me, FREE) == me) return;
    int next = wait_for_msg(CONTROL_MUTEX_LINK, key_of(q, owner, mutex));
    send_msg(CONTROL_MUTEX_GRANT, key_of(q, owner, mutex), next);
}

const struct mutexes armcii_rma_mutexes = {
    .create = create,
    .free = free_set,
    .lock = lock,
    .trylock = trylock,
    .unlock = unlock,
};
