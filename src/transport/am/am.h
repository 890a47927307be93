/* am.h - the transport am: active messages. Requests travel as MPI messages to a server on the target's node, which applies them by loads,
 * stores and atomic instructions (shm/apply.h). The server runs in the progress thread of a process, or is a progress rank. */
#ifndef ARMCII_AM_H
#define ARMCII_AM_H

#include "transport/transport.h"

extern const struct transport armcii_am;

/* Collective over the world and the progress ranks. Without progress ranks the first process of each node is a server; this requires
 * MPI_THREAD_MULTIPLE. */
void armcii_am_start(void);
/* Collective; nothing is outstanding. */
void armcii_am_end(void);

/* ---- operations by requests to the servers of other nodes (client.c) ----
 *
 * Called under the global lock, which is suspended while waiting. */

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

/* ---- mutexes; the functions are those of struct transport ---- */

void *armcii_client_mutexes_create(struct team *team, const int count[], unsigned total, unsigned long name);
void armcii_client_mutexes_free(void *set);
void armcii_client_lock(void *set, int owner, int mutex, unsigned *slot);
bool armcii_client_trylock(void *set, int owner, int mutex, unsigned *slot);
/* Released when a fence has completed. */
void armcii_client_unlock(void *set, int owner, int mutex, unsigned slot);

#endif
