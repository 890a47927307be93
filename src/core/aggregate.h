/* aggregate.h - contiguous requests of one kind to one process, kept to go together as one vector transfer. */
#ifndef ARMCII_AGGREGATE_H
#define ARMCII_AGGREGATE_H

#include <stdbool.h>
#include <stddef.h>

#include "mem/directory.h"
#include "shape/shape.h"
#include "core/op.h"

struct aggregate {
    struct op first;    /* what all have in common; n > 0 */
    struct raddr raddr;       /* of the last one that was looked up, when the directory had this version */
    unsigned version;
    void **local, **remote;   /* [n] */
    size_t *bytes;            /* [n] */
    size_t n, room;
    struct vector_run *runs;  /* requests of equal length that follow one another */
    struct buffer *values;      /* of those that were copied */
    char scale[16];           /* accumulate: the common scale */
};

/* Is op a request that can be kept (contiguous)?  Can it join what is there? */
bool armcii_aggregate_wants(const struct op *op);
bool armcii_aggregate_fits(const struct aggregate *a, const struct op *op);
/* Keep op; with `copy`, its local bytes (at most 16) too.  0 or an error code, also for an address in no region. */
int armcii_aggregate_add(struct aggregate *a, const struct op *op, bool copy);
/* The short way of a put or get like those that are there: keep it, if nothing can be wrong with it; false: take the other way. */
bool armcii_aggregate_join(struct aggregate *a, enum rma_kind kind, int target, void *local, void *remote, size_t bytes);
/* Does it keep anything for that process (-1: for any)? */
bool armcii_aggregate_is_for(const struct aggregate *a, int target);
/* All as one transfer, which refers to *a; false when there is nothing. */
bool armcii_aggregate_take(struct aggregate *a, struct op *op);
/* The transfer was started, and its values belong to the operation: the room that *taken had goes back into *back, where others may have
 * come together meanwhile. */
void armcii_aggregate_taken(struct aggregate *taken, struct aggregate *back);
/* Drop everything; free the memory as well. */
void armcii_aggregate_clear(struct aggregate *a);
void armcii_aggregate_free(struct aggregate *a);

#endif
