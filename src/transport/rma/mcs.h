/* mcs.h - the queues of mutexes on several nodes: their tails in the owneres' memory, swapped by MPI, their links messages
 * between those who wait: no memory per waiter, nobody polls over the network. */
#ifndef ARMCII_RMA_MCS_H
#define ARMCII_RMA_MCS_H

#include <stdbool.h>

#include "mpi/team.h"

struct rma_mcs;

/* Collective over the team: `count` queues for the caller (may differ); the name is no other set's.  NULL, on every member, where there is
 * no memory. */
struct rma_mcs *armcii_rma_mcs_create(struct team *team, int count, unsigned long name);
/* Collective; nobody uses them any more. */
void armcii_rma_mcs_free(struct rma_mcs *q);

/* Take a mutex of a member; wait for it under the global lock, which is left now and then. */
void armcii_rma_mcs_lock(struct rma_mcs *q, int member, int mutex);
/* Take it if it is free. */
bool armcii_rma_mcs_trylock(struct rma_mcs *q, int member, int mutex);
void armcii_rma_mcs_unlock(struct rma_mcs *q, int member, int mutex);

#endif
