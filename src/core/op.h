/* op.h - engine of every put, get and accumulate: contiguous, strided or vector, blocking or nonblocking.
 * A blocking call starts and finishes; a nonblocking call starts and attaches the request to its handle. */
#ifndef ARMCII_OP_H
#define ARMCII_OP_H

#include "transport/transport.h"

/* Resolve the remote side, choose the transport, start.  0, or an error code with nothing transferred and *req zero. */
int armcii_op_start(const struct op *op, struct request *req);
/* Wait for local completion (of a get: arrival of the data) and free the request. */
void armcii_op_finish(struct request *req);
/* Is the request known to be complete locally?  Neither waits nor makes progress. */
bool armcii_op_is_complete(const struct request *req);
/* The same, but the transport may make progress or complete the request. */
bool armcii_op_test(const struct request *req);
/* Start and finish.  Some gets make progress, since programs poll by gets. */
int armcii_op_blocking(const struct op *op);

/* Issue a transfer whose remote side is [lo, hi) in the slice *raddr.  Verification replaces the function by one that calls
 * armcii_op_issue_unverified. */
extern int (*armcii_op_issue)(const struct op *op, const struct raddr *raddr, const char *lo, const char *hi, struct request *req);
int armcii_op_issue_unverified(const struct op *op, const struct raddr *raddr, const char *lo, const char *hi, struct request *req);

/* Count op in the statistics as requested by the program. */
void armcii_op_count(const struct op *op);

/* Find the slice of `target` that holds [address, address + bytes).  0, or an error code, reported for the caller. */
int armcii_op_resolve(const char *caller, const char *argument, int target, const void *address, size_t bytes, struct raddr *raddr);

#endif
