/* server_queues.h - mutexes on several hosts, kept by the agents: the agent of the hosting process has the queue and grants the mutex to
 * the next in it by one message. */
#ifndef ARMCII_SERVER_QUEUES_H
#define ARMCII_SERVER_QUEUES_H

#include <stdbool.h>

/* Mutex `mutex` of `owner`, a rank of the world.  Waiting leaves the library's lock now and then. */
void armcii_server_queue_take(unsigned long set, int owner, int mutex);
bool armcii_server_queue_try(unsigned long set, int owner, int mutex);
void armcii_server_queue_leave(unsigned long set, int owner, int mutex);

#endif
