/* client.h - asking the servers of other nodes.  Called under the global lock, which is left now and then while waiting. */
#ifndef ARMCII_CLIENT_H
#define ARMCII_CLIENT_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "shape/element.h"
#include "shape/shape.h"
#include "transport/shm/apply.h"

/* Whose memory, and how it is reached. */
struct remote {
    int owner; /* rank of the world */
    int server; /* the process that serves it: the same, or one set progress_ranks, behind the world */
    int64_t delta; /* from the owner's addresses to the server's */
};

/* Each returns a ticket for armcii_client_finish, or 0 when the operation is complete locally.  Put and accumulate of moderate size are
 * copied, so they are; they may be on their way together with later ones.  scale NULL: once. */
uint64_t armcii_client_put(const struct remote *to, const struct shape *s);
uint64_t armcii_client_accumulate(const struct remote *to, enum element type, const void *scale, const struct shape *s);
uint64_t armcii_client_get(const struct remote *from, const struct shape *s);
/* The operation is complete locally on return (get: the data are there). */
void armcii_client_finish(uint64_t ticket);
/* Is it?  Waits for nothing, and lets nothing go on. */
bool armcii_client_is_complete(uint64_t ticket);
/* All operations on memory of the process, of all (-1), are complete locally. */
void armcii_client_finish_all(int owner);

/* *address, an int or long of `bytes` bytes in the owner's memory: see armcii_apply_rmw. */
long armcii_client_rmw(const struct remote *to, enum rmw_update update, size_t bytes, void *address, long operand);

/* A mutex of a set, at the server. */
void armcii_client_lock(int server, uint64_t set, int owner, uint64_t number);
bool armcii_client_trylock(int server, uint64_t set, int owner, uint64_t number);
/* Free for all once a fence has seen it. */
void armcii_client_unlock(int server, uint64_t set, int owner, uint64_t number);

#endif
