/* host_queues.h - the queues of mutexes whose users share memory: the lock of Mellor-Crummey and Scott as they wrote it.  Each who waits
 * spins on a line of its own, and is handed the lock by the one before it. */
#ifndef ARMCII_HOST_QUEUES_H
#define ARMCII_HOST_QUEUES_H

#include <stdbool.h>

#include "team/team.h"

struct host_queues;

/* Collective over the team, all on one host: count[i] queues for member i, `total` in all.  NULL, on every member, where there is no
 * memory. */
struct host_queues *armcii_host_queues_create(struct team *team, const int count[], unsigned total);
/* Collective; nobody uses them any more. */
void armcii_host_queues_free(struct host_queues *q);

/* Take a mutex of a member; the number of the caller's place in its queue, to be given back.  Waits under the library's lock, which it
 * leaves now and then. */
unsigned armcii_host_queue_take(struct host_queues *q, int member, int mutex);
/* The same if the mutex is free; false if not. */
bool armcii_host_queue_try(struct host_queues *q, int member, int mutex, unsigned *place);
void armcii_host_queue_leave(struct host_queues *q, int member, int mutex, unsigned place);

#endif
