/* aggregate.h - queue of contiguous requests of one kind to one process, issued together as one vector transfer. */
#ifndef ARMCII_AGGREGATE_H
#define ARMCII_AGGREGATE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/op.h"
#include "mem/directory.h"
#include "shape/shape.h"

struct aggregate {
    struct op first;    /* kind, target and element of all requests; valid if n > 0 */
    struct raddr raddr; /* slice of the last lookup, valid for this version of the directory */
    unsigned version;
    void **local, **remote; /* [n] */
    size_t *bytes;          /* [n] */
    size_t n, room;
    struct vector_run *runs; /* consecutive requests of equal length */
    struct buffer *copies;   /* local bytes of requests added with `copy` */
    char scale[16];          /* accumulate: the common scale */
};

/* Can op be queued at all (contiguous, not empty)?  Does it match the queued requests? */
bool armcii_aggregate_accepts(const struct op *op);
bool armcii_aggregate_fits(const struct aggregate *a, const struct op *op);
/* Queue op; with `copy`, copy its local bytes (at most 16).  0, or an error code if the address lies in no region. */
int armcii_aggregate_add(struct aggregate *a, const struct op *op, bool copy);
/* Fast path: queue a put or get that matches the queued requests and lies in the slice of the last lookup; false: use
 * armcii_aggregate_add. */
bool armcii_aggregate_append(struct aggregate *a, enum rma_kind kind, int target, void *local, void *remote, size_t bytes);
/* Is a request for the target queued (-1: for any)? */
bool armcii_aggregate_has(const struct aggregate *a, int target);
/* Describe all requests as one transfer, which refers to *a; false if the queue is empty. */
bool armcii_aggregate_make_op(struct aggregate *a, struct op *op);
/* After the transfer of *sent was started and took over its copies: reuse the arrays of *sent in *a, or free them if *a has arrays. */
void armcii_aggregate_recycle(struct aggregate *sent, struct aggregate *a);
/* Drop all requests; armcii_aggregate_free frees the arrays as well. */
void armcii_aggregate_clear(struct aggregate *a);
void armcii_aggregate_free(struct aggregate *a);

#endif
