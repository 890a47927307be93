/* mcs.h - the queues of mutexes whose users share memory: the lock of Mellor-Crummey and Scott as they wrote it.  Each who waits
 * spins on a line of its own, and is handed the lock by the one before it. */
#ifndef ARMCII_SHM_MCS_H
#define ARMCII_SHM_MCS_H

#include <stdbool.h>

#include "mpi/team.h"

struct shm_mcs;

/* Collective over the team, all on one node: count[i] queues for member i, `total` in all.  NULL, on every member, where there is no
 * memory. */
struct shm_mcs *armcii_shm_mcs_create(struct team *team, const int count[], unsigned total);
/* Collective; nobody uses them any more. */
void armcii_shm_mcs_free(struct shm_mcs *q);

/* Take a mutex of a member; the number of the caller's place in its queue, to be given back.  Waits under the global lock, which it
 * leaves now and then. */
unsigned armcii_shm_mcs_lock(struct shm_mcs *q, int member, int mutex);
/* The same if the mutex is free; false if not. */
bool armcii_shm_mcs_trylock(struct shm_mcs *q, int member, int mutex, unsigned *place);
void armcii_shm_mcs_unlock(struct shm_mcs *q, int member, int mutex, unsigned place);

#endif
