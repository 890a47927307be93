/* node.h - the caller's node: the processes that share its memory, and their node control block,
 * which holds flags of barriers, reserved memory (cpus.h), doorbells and striped locks. */
#ifndef ARMCII_NODE_H
#define ARMCII_NODE_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/backoff.h"
#include "node/cpus.h"
#include "node/segment.h"

/* Lock striping for accumulates: each block of memory maps to one of a fixed number of locks, so
 * updates of different blocks rarely contend, and a lock is held for at most one block. */
enum { STRIPES = 1024, STRIPE_BLOCK = 1 << 13 }; /* bytes of a block */

struct stripe {
    _Alignas(64) atomic_int taken;
};

/* The block of an address. The address is the owner's, so all processes find the same block. */
static inline uintptr_t armcii_stripe_block(uintptr_t at)
{
    return at / STRIPE_BLOCK;
}

/* The lock of a block. */
static inline struct stripe *armcii_stripe_of(struct stripe *stripes, int process, uintptr_t block)
{
    return &stripes[(block * 0x9e3779b97f4a7c15u + (uintptr_t)process * 0xc2b2ae3d27d4eb4fu) >>
                    54]; /* 10 bits */
}
_Static_assert(STRIPES == 1 << 10, "the shift leaves 10 bits");

static inline void armcii_stripe_lock(struct stripe *s)
{
    struct backoff p = {0};
    while (__builtin_expect(atomic_exchange_explicit(&s->taken, 1, memory_order_acquire), 0))
        while (atomic_load_explicit(&s->taken, memory_order_relaxed))
            armcii_backoff_yield(&p);
}

static inline void armcii_stripe_unlock(struct stripe *s)
{
    atomic_store_explicit(&s->taken, 0, memory_order_release);
}

struct node {
    bool shares_memory;     /* the processes of each node do: there is a heap (heap.h) */
    enum obstacle obstacle; /* on some process at least, if they do not */
    MPI_Comm comm;          /* armcii_world->on_node */
    int rank, size;         /* as armcii_world->local_rank_of */
    struct stripe *stripes; /* [STRIPES] */
    struct node_cpus cpus;
    int *world_tables; /* memory for the tables of armcii_world, zeroed; or NULL */
};

extern const struct node *const armcii_node;

/* Collective over the world. */
void armcii_node_start(void);
void armcii_node_end(void);
/* There is no heap. */
void armcii_node_share_nothing(enum obstacle obstacle);

/* A barrier over the processes of the node; earlier stores of each are visible to all afterwards.
 */
void armcii_node_barrier(void);

/* True for the first of the processes of the node that asks; it must call armcii_node_has_told. The
 * others return once it has, or after half a second: their end would end it, too. */
bool armcii_node_is_first_to_leave(void);
void armcii_node_has_told(void);

#endif
