/* mutex.h - mutexes in the memory that the processes of a node share: ticket locks. The
 * processes of the node take them by atomic instructions; a server does so for other nodes. */
#ifndef ARMCII_MUTEX_H
#define ARMCII_MUTEX_H

#include <stdatomic.h>
#include <stdbool.h>

#include "mpi/team.h"
#include "node/range.h"

/* Who wants the mutex draws a ticket, and has the mutex when now_serving reaches it: first come,
 * first served. All zero: free. Nothing in it is ever locked, so that a process that stops stops
 * only those who draw after it. */
struct mutex {
    atomic_uint tickets; /* next ticket */
    atomic_uint now_serving;
    /* 1 + 2 x the ticket of the server, if it waits: who serves that ticket rings the server. */
    atomic_uint awaited;
    atomic_int holder; /* the last; a rank in the world: a server checks its unlock */
};
_Static_assert(sizeof(struct mutex) == 16, "a process may have 100,000");

/* A set: the functions create and free of struct mutexes. The mutexes of all
 * members are in the heap, so that every process knows the address of each in its owner, in other
 * processes of that node, and in its server. */
struct mutex_memory {
    struct team *team;
    struct range range;
    size_t stride;   /* bytes from a mutex to the next: a cache line where they are few */
    size_t reserved; /* bytes of this node's memory that this process accounts for (node/cpus.h) */
};
void *armcii_mutexes_create(struct team *team, const int count[], unsigned long name);
void armcii_mutexes_free(void *set);
struct mutex *armcii_mutex_address(const void *set, int owner, int mutex);

/* For a process of the node; lock waits under the global lock. */
void armcii_mutex_lock(struct mutex *m);
bool armcii_mutex_trylock(struct mutex *m);
/* True if a server was rung. */
bool armcii_mutex_unlock(struct mutex *m);

/* Take a ticket for a client, without waiting. For a server. */
static inline unsigned armcii_mutex_draw(struct mutex *m)
{
    return atomic_fetch_add(&m->tickets, 1);
}
static inline bool armcii_mutex_is_turn(const struct mutex *m, unsigned ticket)
{
    return atomic_load(&m->now_serving) == ticket;
}
/* False if the memory is none of a mutex that so many processes may want, each once at a time. What
 * changes meanwhile is a mutex. */
static inline bool armcii_mutex_is_plausible(const struct mutex *m, unsigned processes)
{
    const unsigned serving = atomic_load(&m->now_serving), tickets = atomic_load(&m->tickets);
    return tickets - serving <= processes || atomic_load(&m->now_serving) != serving;
}
/* True if a client, to which the server gave it, has the mutex. */
static inline bool armcii_mutex_is_held_by(const struct mutex *m, int client)
{
    return atomic_load(&m->tickets) != atomic_load(&m->now_serving) &&
           atomic_load_explicit(&m->holder, memory_order_relaxed) == client;
}
/* Be rung when it is the turn of the ticket. It may be already: look again afterwards. */
void armcii_mutex_await(struct mutex *m, unsigned ticket);
/* The holder is a process of the world. */
static inline void armcii_mutex_set_holder(struct mutex *m, int process)
{
    atomic_store_explicit(&m->holder, process, memory_order_relaxed);
}
/* Serve the next ticket, and return it. */
static inline unsigned armcii_mutex_pass(struct mutex *m)
{
    unsigned next = atomic_load_explicit(&m->now_serving, memory_order_relaxed) + 1;
    atomic_store(&m->now_serving, next);
    return next;
}

#endif
