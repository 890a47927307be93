/* mutex_server.h - the mutexes that a server keeps for the processes of its node: their holders and first-in, first-out queues. */
#ifndef ARMCII_MUTEX_SERVER_H
#define ARMCII_MUTEX_SERVER_H

#include <stdbool.h>
#include <stdint.h>

/* A mutex is identified by set, owner and number. True when it is granted; else the client is queued. */
bool armcii_mutex_server_lock(uint64_t set, int owner, uint64_t number, int client, int tag);
/* True when it is granted; never queues. */
bool armcii_mutex_server_trylock(uint64_t set, int owner, uint64_t number);
/* Release the mutex; true when it passes to the next client in the queue: *client, *tag. */
bool armcii_mutex_server_unlock(uint64_t set, int owner, uint64_t number, int *client, int *tag);
void armcii_mutex_server_clear(void);

#endif
