/* mutex.h - the mutexes that processes of one node own, in its shared memory: ticket locks.  The
 * processes of the node take them by atomic instructions; a server does so for other nodes. */
#ifndef ARMCII_MUTEX_H
#define ARMCII_MUTEX_H

#include <stdatomic.h>
#include <stdbool.h>

#include "transport/shm/segment.h"

/* Who wants the mutex draws a ticket, and has the mutex when that is served: first come, first
 * served.  All zero: free.  Nothing in it is ever locked, so that a process that stops stops only
 * those who draw after it. */
struct mutex {
    _Alignas(64) atomic_uint tickets; /* next ticket */
    atomic_uint served;
    atomic_uint awaited;  /* a ticket of a server; who serves it rings the server */
    atomic_uint doorbell; /* of the server (node.h) */
    atomic_int holder;    /* the last; a rank in the world, for the hang report */
};

/* The mutexes of one set on the caller's node. */
struct node_mutexes {
    struct shm_segment segment;
    struct mutex **of; /* [team size], of member i; NULL: on another node, or none */
};

/* Collective over the team: count[i] mutexes of member i.  The segment is open until
 * armcii_segment_close.  0, or nonzero on every member. */
int armcii_node_mutexes_create(struct node_mutexes *set, struct team *team, const int count[]);
/* Nobody uses them any more. */
void armcii_node_mutexes_free(struct node_mutexes *set);

/* For a process of the node; lock waits under the global lock. */
void armcii_mutex_lock(struct mutex *m);
bool armcii_mutex_trylock(struct mutex *m);
/* True if a server was rung. */
bool armcii_mutex_unlock(struct mutex *m);

/* For a server, which never waits: a ticket for a client; is it served? */
static inline unsigned armcii_mutex_draw(struct mutex *m)
{
    return atomic_fetch_add(&m->tickets, 1);
}
static inline bool armcii_mutex_is_served(const struct mutex *m, unsigned ticket)
{
    return atomic_load(&m->served) == ticket;
}
/* Be rung when the ticket is served.  It may be already: look again afterwards. */
void armcii_mutex_await(struct mutex *m, unsigned ticket);
/* The holder is a process of the world. */
static inline void armcii_mutex_set_holder(struct mutex *m, int process)
{
    atomic_store_explicit(&m->holder, process, memory_order_relaxed);
}
/* Serve the next ticket, and return it. */
static inline unsigned armcii_mutex_pass(struct mutex *m)
{
    unsigned next = atomic_load_explicit(&m->served, memory_order_relaxed) + 1;
    atomic_store(&m->served, next);
    return next;
}

#endif
