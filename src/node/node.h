/* node.h - the caller's node: the processes that share its memory, and their node control block,
 * which holds flags of barriers, reservations (reserve.h), doorbells and striped locks. */
#ifndef ARMCII_NODE_H
#define ARMCII_NODE_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "node/stripe.h"
#include "node/survey.h"

struct node {
    bool shares_memory; /* the processes of each node do: there is an arena (arena.h) */
    MPI_Comm comm;      /* armcii_world->on_node */
    int rank, size; /* as armcii_world->local_rank_of; size: without the progress ranks, whose ranks
                       are size, size + 1, ... */
    struct stripe *stripes; /* [STRIPES] */
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

#endif
