/* transfer.h - the one engine behind every put, get and accumulate: contiguous, strided or vector, blocking or not.
 * A blocking call is start + finish; a non-blocking one is start, and the operation goes to its handle. */
#ifndef ARMCII_TRANSFER_H
#define ARMCII_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi/rma.h"
#include "shape/shape.h"

struct transfer {
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
struct operation {
    uint64_t region_id;
    uint64_t ticket;     /* of the pending records; 0: nothing */
    uint64_t asked;      /* ticket of the path `server`; 0: nothing */
    int target;
    struct copy *copies; /* to free when it is complete */
};

/* Check the remote side, choose a path, issue.  0, or an error code with nothing transferred and *op untouched. */
int armcii_transfer_start(const struct transfer *t, struct operation *op);
/* Complete locally (get: data are there) and release what the operation holds. */
void armcii_transfer_finish(struct operation *op);
/* Is it known to be complete locally?  Waits for nothing, and lets nothing go on. */
bool armcii_transfer_is_complete(const struct operation *op);
/* The same; but what MPI's windows carry is completed, since nothing else tells. */
bool armcii_transfer_test(const struct operation *op);
/* Start and finish.  A get lets others be served now and then: who gets again and again may wait for them. */
int armcii_transfer_blocking(const struct transfer *t);

/* The last step of a start: issue t, whose remote side is [lo, hi) in `place`.  0, or an error code with nothing transferred.  Another
 * function may be put in the place of the plain one, and use it (check.h). */
struct place;
extern int (*armcii_transfer_issue)(const struct transfer *t, const struct place *place, const char *lo, const char *hi,
                                    struct operation *op);
int armcii_transfer_issue_plainly(const struct transfer *t, const struct place *place, const char *lo, const char *hi,
                                  struct operation *op);
/* The path that it takes. */
struct path;
const struct path *armcii_transfer_path(const struct transfer *t, const struct place *place);

/* Count t in the statistics: the program asked for it, and it was taken. */
void armcii_transfer_count(const struct transfer *t);

/* Find the slice of `target` that holds [address, address + bytes), reporting in the caller's name where none does. */
int armcii_transfer_locate(const char *caller, const char *argument, int target, const void *address, size_t bytes,
                           struct place *place);

#endif
