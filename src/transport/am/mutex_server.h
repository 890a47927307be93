/* mutex_server.h - the mutexes that a server keeps for the processes of its node: who holds each, and who waits for it, in order. */
#ifndef ARMCII_MUTEX_SERVER_H
#define ARMCII_MUTEX_SERVER_H

#include <stdbool.h>
#include <stdint.h>

/* A mutex is known by its set, owner and number.  Join: true when the caller has it at once, else it stands in the queue. */
bool armcii_mutex_server_enqueue(uint64_t set, int owner, uint64_t number, int client, int tag);
/* Take it if it is free. */
bool armcii_mutex_server_try(uint64_t set, int owner, uint64_t number);
/* The holder leaves; true when somebody waits, who now has it: *client, *tag. */
bool armcii_mutex_server_release(uint64_t set, int owner, uint64_t number, int *client, int *tag);
void armcii_mutex_server_clear(void);

#endif
