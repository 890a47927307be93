/* mcs.h - mutexes by RMA: a queue lock whose tails lie in the owners' memory, swapped by MPI; its links are messages between the waiters.
 * No memory per waiter, and nobody polls over the network.  The functions are those of struct transport. */
#ifndef ARMCII_RMA_MCS_H
#define ARMCII_RMA_MCS_H

#include <stdbool.h>

#include "mpi/team.h"

void *armcii_rma_mcs_create(struct team *team, const int count[], unsigned total, unsigned long name);
void armcii_rma_mcs_free(void *set);
/* Waiting suspends the global lock now and then. */
void armcii_rma_mcs_lock(void *set, int owner, int mutex, unsigned *slot);
bool armcii_rma_mcs_trylock(void *set, int owner, int mutex, unsigned *slot);
void armcii_rma_mcs_unlock(void *set, int owner, int mutex, unsigned slot);

#endif
