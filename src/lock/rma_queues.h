/* rma_queues.h - the queues of mutexes on several hosts: their tails in the hosting processes' memory, swapped by MPI, their links messages
 * between those who wait: no memory per waiter, nobody polls over the network. */
#ifndef ARMCII_RMA_QUEUES_H
#define ARMCII_RMA_QUEUES_H

#include <stdbool.h>

#include "team/team.h"

struct rma_queues;

/* Collective over the team: `count` queues for the caller (may differ); the name is no other set's.  NULL, on every member, where there is
 * no memory. */
struct rma_queues *armcii_rma_queues_create(struct team *team, int count, unsigned long name);
/* Collective; nobody uses them any more. */
void armcii_rma_queues_free(struct rma_queues *q);

/* Take a mutex of a member; wait for it under the library's lock, which is left now and then. */
void armcii_rma_queue_take(struct rma_queues *q, int member, int mutex);
/* Take it if it is free. */
bool armcii_rma_queue_try(struct rma_queues *q, int member, int mutex);
void armcii_rma_queue_leave(struct rma_queues *q, int member, int mutex);

#endif
