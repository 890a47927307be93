/* mcs.h - mutexes over MPI: an MCS lock whose tails are in the owners' windows and whose links are mutex messages between waiters.  It
 * needs no memory per waiter and no polling over the network.  The functions are those of struct transport. */
#ifndef ARMCII_RMA_MCS_H
#define ARMCII_RMA_MCS_H

#include <stdbool.h>

#include "mpi/team.h"

void *armcii_rma_mcs_create(struct team *team, const int count[], unsigned total, unsigned long name);
void armcii_rma_mcs_free(void *set);
/* A wait releases the global lock at each backoff step. */
void armcii_rma_mcs_lock(void *set, int owner, int mutex, unsigned *slot);
bool armcii_rma_mcs_trylock(void *set, int owner, int mutex, unsigned *slot);
void armcii_rma_mcs_unlock(void *set, int owner, int mutex, unsigned slot);

#endif
