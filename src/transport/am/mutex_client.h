/* mutex_client.h - mutexes on several nodes, kept by the servers: the server of the owner has the queue and grants the mutex to
 * the next in it by one message. */
#ifndef ARMCII_MUTEX_CLIENT_H
#define ARMCII_MUTEX_CLIENT_H

#include <stdbool.h>

/* Mutex `mutex` of `owner`, a rank of the world.  Waiting leaves the global lock now and then. */
void armcii_am_mutex_lock(unsigned long set, int owner, int mutex);
bool armcii_am_mutex_trylock(unsigned long set, int owner, int mutex);
void armcii_am_mutex_unlock(unsigned long set, int owner, int mutex);

#endif
