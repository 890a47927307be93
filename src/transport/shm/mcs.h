/* mcs.h - mutexes of processes that share memory: the queue lock of J. Mellor-Crummey and M. Scott ("Algorithms for Scalable
 * Synchronization on Shared-Memory Multiprocessors", ACM TOCS 9(1), 1991).  Each waiter spins on its own cache line until its predecessor
 * passes the lock on.  The functions are those of struct transport. */
#ifndef ARMCII_SHM_MCS_H
#define ARMCII_SHM_MCS_H

#include <stdbool.h>

#include "mpi/team.h"

void *armcii_shm_mcs_create(struct team *team, const int count[], unsigned total, unsigned long name);
void armcii_shm_mcs_free(void *set);
/* A wait releases the global lock at each backoff step. */
void armcii_shm_mcs_lock(void *set, int owner, int mutex, unsigned *slot);
bool armcii_shm_mcs_trylock(void *set, int owner, int mutex, unsigned *slot);
void armcii_shm_mcs_unlock(void *set, int owner, int mutex, unsigned slot);

#endif
