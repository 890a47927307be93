/* op.h - engine of every put, get and accumulate: contiguous, strided or vector, blocking or
 * nonblocking; and of read-modify-write. A blocking call starts and finishes; a nonblocking call
 * starts and attaches the request to its handle. */
#ifndef ARMCII_OP_H
#define ARMCII_OP_H

#include <armcix.h>

#include "transport/transport.h"

/* Find the slice of the remote side of op, which is not empty; raddr->region is NULL where a vector
 * lies in several. 0, or an error code. */
int armcii_op_locate(const struct op *op, struct raddr *raddr);
/* Resolve the remote side, choose the transport, start. 0, or an error code with nothing
 * transferred and *req zero. */
int armcii_op_start(const struct op *op, struct request *req);
/* Wait for local completion (of a get: arrival of the data) and free the request. */
void armcii_op_wait(struct request *req);
/* True if the request is known to be complete locally. Neither waits nor makes progress. */
bool armcii_op_is_complete(const struct request *req);
/* The same, but the transport may make progress or complete the request. */
bool armcii_op_test(const struct request *req);
/* Start and finish. */
int armcii_op_blocking(const struct op *op);
/* After a blocking get: programs poll by gets, so some gets make progress. */
static inline void armcii_op_poll(void)
{
    if (armcii_backoff.progress_needed) armcii_progress_on_poll();
}

/* Find the slice of `target` that holds [address, address + bytes). 0, or an error code, reported
 * for the caller. */
int armcii_op_resolve(const char *caller, const char *argument, int target, const void *address,
                      size_t bytes, struct raddr *raddr);

/* 0 if the access mode of the region allows such an operation, or nobody checks it
 * (ARMCI_DEBUG_ALLOC); else an error code, reported for the caller. */
int armcii_op_check_mode(const char *caller, const char *argument, enum op_kind kind,
                         const struct raddr *raddr);

/* ---- read-modify-write ---- */

/* As ARMCI_Rmw; op and target are valid. 0 or an error code. */
int armcii_rmw(const char *caller, int op, void *local, void *remote, int value, int target);
/* The same in memory of this node that the caller has found: no lock is needed. */
void armcii_rmw_there(int op, void *local, char *there, int value);
/* The bytes of the operand of a valid op, an int or a long. */
size_t armcii_rmw_bytes(int op);
/* Let the route of *raddr carry an update, in order with earlier operations; see struct transport.
 */
long armcii_rmw_issue(const struct raddr *raddr, int target, enum rmw_update update, size_t bytes,
                      void *remote, long operand);

/* ---- notification (notify.c) ---- */

void armcii_notify_start(void);
void armcii_notify_end(void);
/* Notify the process; requires that all operations to it are complete. Returns the number of
 * notifications sent to it, modulo 2^31. */
int armcii_notify_send(int process);
/* Wait for one more notification from the process; returns the number received, *waits the number
 * of waits, modulo 2^31. */
int armcii_notify_wait(int process, int *waits);

#endif
