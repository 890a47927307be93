/* op.h - the engine behind every put, get and accumulate: contiguous, strided or vector, blocking or not.
 * A blocking call is start and finish; a nonblocking one is start, and the request goes to its handle. */
#ifndef ARMCII_OP_H
#define ARMCII_OP_H

#include "transport/transport.h"

/* Resolve the remote side, choose the transport, start.  0, or an error code with nothing transferred and *req zero. */
int armcii_op_start(const struct op *op, struct request *req);
/* Return when the operation is complete locally (a get: the data are there), and free what it holds. */
void armcii_op_finish(struct request *req);
/* Is it known to be complete locally?  Neither waits nor makes progress. */
bool armcii_op_is_complete(const struct request *req);
/* The same, after whatever the transport must do to find out. */
bool armcii_op_test(const struct request *req);
/* Start and finish.  A program that gets again and again may be waiting for others: a get makes progress now and then. */
int armcii_op_blocking(const struct op *op);

/* The last step of a start, for one slice: op's remote side is [lo, hi) in *raddr.  Verification puts another function in its place, which
 * calls armcii_op_issue_unverified. */
extern int (*armcii_op_issue)(const struct op *op, const struct raddr *raddr, const char *lo, const char *hi, struct request *req);
int armcii_op_issue_unverified(const struct op *op, const struct raddr *raddr, const char *lo, const char *hi, struct request *req);

/* Count op in the statistics as asked for and accepted. */
void armcii_op_count(const struct op *op);

/* Find the slice of `target` that holds [address, address + bytes).  0, or an error code, reported in the caller's name. */
int armcii_op_resolve(const char *caller, const char *argument, int target, const void *address, size_t bytes, struct raddr *raddr);

#endif
