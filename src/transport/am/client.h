/* client.h - operations by requests to the servers of other nodes. Called under the global lock, which is suspended while waiting. */
#ifndef ARMCII_CLIENT_H
#define ARMCII_CLIENT_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "shape/accumulate.h"
#include "shape/shape.h"
#include "transport/shm/apply.h"

/* Remote memory and its server. */
struct remote {
    int owner;     /* rank in the world */
    int server;    /* rank in the world, or of a progress rank behind it */
    int64_t delta; /* from the owner's addresses to the server's */
};

/* Each returns a request id for armcii_client_wait, or 0 when the operation is complete locally. Eager puts and accumulates are copied, so
 * they are complete; they may be coalesced with later ones. scale NULL: 1. */
uint64_t armcii_client_put(const struct remote *to, const struct shape *s);
uint64_t armcii_client_accumulate(const struct remote *to, enum element type, const void *scale, const struct shape *s);
uint64_t armcii_client_get(const struct remote *from, const struct shape *s);
/* Return when the operation is complete locally. */
void armcii_client_wait(uint64_t id);
/* Is the operation complete locally? Neither waits nor makes progress. */
bool armcii_client_is_complete(uint64_t id);
/* Return when all operations on memory of the process, or of all (-1), are complete locally. */
void armcii_client_wait_all(int owner);

/* *address, an int or long of `bytes` bytes in the owner's memory: see armcii_apply_rmw. */
long armcii_client_rmw(const struct remote *to, enum rmw_update update, size_t bytes, void *address, long operand);

/* A mutex of a set, kept by the server of the owner's node; `owner` is a rank in the world. */
void armcii_client_lock(uint64_t set, int owner, uint64_t number);
bool armcii_client_trylock(uint64_t set, int owner, uint64_t number);
/* Released when a fence has completed. */
void armcii_client_unlock(uint64_t set, int owner, uint64_t number);

#endif
