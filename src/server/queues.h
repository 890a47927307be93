/* queues.h - the mutexes that an agent keeps for the processes of its host: who holds each, and who waits for it, in order. */
#ifndef ARMCII_QUEUES_H
#define ARMCII_QUEUES_H

#include <stdbool.h>
#include <stdint.h>

/* A mutex is known by its set, owner and number.  Join: true when the caller has it at once, else it stands in the queue. */
bool armcii_queue_join(uint64_t set, int owner, uint64_t number, int client, int tag);
/* Take it if it is free. */
bool armcii_queue_try(uint64_t set, int owner, uint64_t number);
/* The holder leaves; true when somebody waits, who now has it: *client, *tag. */
bool armcii_queue_leave(uint64_t set, int owner, uint64_t number, int *client, int *tag);
void armcii_queues_forget(void);

#endif
