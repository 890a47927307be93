/* am.h - the transport am: active messages. Requests travel as MPI messages to a server on the
 * target's node, which applies them by loads, stores and atomic instructions (shm/shm.h). The first
 * process of a node serves, in its progress thread and in threads that wait in the library. proto.h
 * has the messages. */
#ifndef ARMCII_AM_H
#define ARMCII_AM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/transport.h"

extern const struct transport armcii_am;
extern const struct mutexes armcii_am_mutexes; /* mutexes.c */

/* Collective over the world. The first process of each node is a server; this requires
 * MPI_THREAD_MULTIPLE. drives_rma: the thread of every process calls MPI at all times, since the
 * network needs the target for RMA. */
void armcii_am_start(bool drives_rma);
/* Collective; nothing is outstanding. */
void armcii_am_end(void);

/* Collective over the world; see armcii_route_barrier. */
void armcii_am_barrier(void);

/* ---- operations by requests to the servers of other nodes (client.c) ----
 *
 * Called under the global lock, which is suspended while waiting. */

/* The functions of struct transport. Eager puts and accumulates are copied, so they are complete;
 * they may be coalesced with later ones. */
int armcii_client_start(const struct op *op, const struct raddr *raddr, struct request *req);
void armcii_client_wait(const struct request *req);
bool armcii_client_is_complete(const struct request *req);
/* Return when all operations on memory of the process, or of all (-1), are complete locally. */
void armcii_client_wait_all(int owner);
/* The number of the operation started last. */
uint64_t armcii_client_last_id(void);

long armcii_client_rmw(const struct raddr *raddr, int target, enum rmw_update update, size_t bytes,
                       void *remote, long operand);

/* Order and remote completion (fence.c). */
void armcii_am_order(const struct raddr *raddr, int target, struct op_verb verb, const char *lo,
                     const char *hi);
void armcii_am_complete(const struct op_set *which, unsigned how);

/* A mutex of a process of another node, at its address there (shm/mutex.h). Released when a fence
 * has completed. */
void armcii_client_lock(int owner, void *mutex);
bool armcii_client_trylock(int owner, void *mutex);
void armcii_client_unlock(int owner, void *mutex);

#endif
