/* node.h - the caller's node: the processes that share its memory, and their node control block
 * with its doorbells and striped locks. */
#ifndef ARMCII_NODE_H
#define ARMCII_NODE_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lock.h"

/* Wakes the progress thread of a process. */
struct doorbell {
    _Alignas(64) atomic_uint rung; /* number of rings */
    atomic_bool asleep;            /* the thread sleeps: a ring must wake it */
    unsigned char length;          /* length of the name; 0: no doorbell */
    char name[15];                 /* name of its socket */
};

/* The processors of the caller's kernel, which may run several nodes of a job. */
struct node_cpus {
    size_t processes;    /* of this job on this kernel, with progress ranks */
    size_t processors;   /* usable by these processes */
    bool oversubscribed; /* some processes share a processor */
    uint64_t *taken; /* [words], a mask: the processors of these processes; NULL if no further one
                        is left for each server */
    size_t words;
};

struct node {
    bool shares_memory; /* the processes of each node do: there is an arena (arena.h) */
    MPI_Comm comm;      /* armcii_world->on_node */
    int rank, size; /* as armcii_world->local_rank_of; size: without the progress ranks, whose ranks
                       are size, size + 1, ... */
    struct stripe *stripes;     /* [STRIPES] */
    struct doorbell *doorbells; /* [size], and those of the progress ranks; NULL if memory is not
                                   shared */
    struct node_cpus cpus;
    int *world_tables; /* a copy of armcii_world->tables for all of them; or NULL */
};

extern const struct node *const armcii_node;

/* Collective over the world and the progress ranks. */
void armcii_node_start(void);
void armcii_node_end(void);
/* There is no arena. */
void armcii_node_share_nothing(void);

/* A barrier over the processes of the node; earlier stores of each are visible to all afterwards.
 */
void armcii_node_barrier(void);

/* ---- reservations ----
 *
 * The kernel counts a page when it is touched, so untouched memory of regions looks free.  The node
 * control block therefore holds the sum of all reserved bytes.  Without a node control block
 * nothing is counted. */

/* Reserve bytes, and release them.  One process of the node calls these for each segment. */
void armcii_reservation_add(size_t bytes);
void armcii_reservation_release(size_t bytes);

/* Reserves bytes if they are available once all reserved memory is touched; *left is what is
 * available.  Reads system files. */
bool armcii_reservation_try(size_t bytes, size_t *left);
/* Lowers the memory of others, given that `touched` reserved bytes are in use. */
void armcii_reservation_correct(size_t touched);

/* ---- doorbells ----
 *
 * They wake the progress thread of another process of this node: MPI's messages in shared memory
 * raise no event.  A doorbell is a count in the node control block, and a datagram socket that ends
 * its owner's sleep. */

/* Collective over the processes of the node.  Afterwards all have doorbells, or none has. */
void armcii_doorbells_start(void);
void armcii_doorbells_end(void);
/* Only this process's part of the start, untested: where datagrams do not arrive, the other wakes
 * at the end of its sleep only. */
void armcii_doorbell_open(void);

/* A descriptor that becomes readable when an armed doorbell is rung; -1 if there are no doorbells.
 */
int armcii_doorbell_fd(void);

/* The caller waits for MPI progress of this process of the world.  Does nothing if the process is
 * the caller's own or on another node. */
void armcii_doorbell_ring(int process);
/* The same for a rank on the node, progress ranks and the caller included. */
void armcii_doorbell_ring_number(unsigned number);

/* For the owner.  Arm before a sleep, disarm after: only an armed doorbell makes the descriptor
 * readable.  Check for a pending ring after arming. */
void armcii_doorbell_arm(bool armed);
/* Was it rung since it was cleared last? */
bool armcii_doorbell_is_pending(void);
/* Clear it; true if it was pending. */
bool armcii_doorbell_clear(void);

/* ---- lock striping for accumulates ----
 *
 * Each block of memory maps to one of a fixed number of locks, so updates of different blocks
 * rarely contend, and a lock is held for at most one block. */

enum { STRIPES = 1024, STRIPE_BLOCK = 1 << 13 }; /* bytes of a block */

struct stripe {
    _Alignas(64) atomic_int taken;
};

/* The block of an address.  The address is the owner's, so all processes find the same block. */
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

#endif
