/* op.h - the one engine behind every put, get and accumulate: contiguous, strided or vector, blocking or not.
 * A blocking call is start + finish; a non-blocking one is start, and the operation goes to its handle. */
#ifndef ARMCII_OP_H
#define ARMCII_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi/rma.h"
#include "shape/shape.h"

struct op {
    const char *caller;  /* the public function, for messages */
    struct rma_verb verb;
    const void *scale;   /* accumulate: one element; else NULL */
    int target;          /* checked by the caller */
    struct shape shape;
};

/* Local data in memory of the library, which operations need until they are complete: a list. */
struct copy {
    struct copy *older;
    size_t bytes;
    _Alignas(16) char data[];
};
struct copy *armcii_copy_new(size_t bytes); /* NULL: out of memory */
void armcii_copies_free(struct copy *list);

/* What is left to wait for after a start. */
struct request {
    uint64_t region_id;
    uint64_t ticket;     /* of the pending records; 0: nothing */
    uint64_t asked;      /* ticket of the path `server`; 0: nothing */
    int target;
    struct copy *copies; /* to free when it is complete */
};

/* Check the remote side, choose a path, issue.  0, or an error code with nothing transferred and *req untouched. */
int armcii_op_start(const struct op *op, struct request *req);
/* Complete locally (get: data are there) and release what the operation holds. */
void armcii_op_finish(struct request *req);
/* Is it known to be complete locally?  Waits for nothing, and lets nothing go on. */
bool armcii_op_is_complete(const struct request *req);
/* The same; but what MPI's windows carry is completed, since nothing else tells. */
bool armcii_op_test(const struct request *req);
/* Start and finish.  A get lets others be served now and then: who gets again and again may wait for them. */
int armcii_op_blocking(const struct op *op);

/* The last step of a start: issue op, whose remote side is [lo, hi) in `raddr`.  0, or an error code with nothing transferred.  Another
 * function may be put in place of the plain one, and use it (check.h). */
struct raddr;
extern int (*armcii_op_issue)(const struct op *op, const struct raddr *raddr, const char *lo, const char *hi,
                                    struct request *req);
int armcii_op_issue_unverified(const struct op *op, const struct raddr *raddr, const char *lo, const char *hi,
                                  struct request *req);
/* The path that it takes. */
struct path;
const struct path *armcii_op_path(const struct op *op, const struct raddr *raddr);

/* Count op in the statistics: the program asked for it, and it was taken. */
void armcii_op_count(const struct op *op);

/* Find the slice of `target` that holds [address, address + bytes), reporting in the caller's name where none does. */
int armcii_op_resolve(const char *caller, const char *argument, int target, const void *address, size_t bytes,
                           struct raddr *raddr);

#endif
