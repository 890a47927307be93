/* rma.h - one-sided calls on a window.  With window.h, the interface to MPI's one-sided functions.
 * Displacements and lengths are in bytes.  armcii_window_flush completes operations. */
#ifndef ARMCII_RMA_H
#define ARMCII_RMA_H

#include <mpi.h>
#include <stddef.h>

#include "mpi/window.h"
#include "shape/accumulate.h"
#include "shape/shape.h"

enum rma_kind { RMA_PUT, RMA_GET, RMA_ACC };

/* The kind of an operation and, for accumulate, the element type. */
struct rma_verb {
    enum rma_kind kind;
    enum element element;
};

/* The kind of derived datatype for a shape. */
enum rma_typing { RMA_SUBARRAY, RMA_HVECTOR, RMA_INDEXED };

/* Any number of contiguous bytes between `local` and displacement `disp` of rank `target`. */
void armcii_rma_contiguous(struct window *w, struct rma_verb verb, int target, void *local, MPI_Aint disp, size_t bytes);

/* The whole shape, at most 1 GiB, by one call with derived datatypes.  `origin` is the address in the target with displacement 0.  A side
 * whose strides do not nest uses RMA_HVECTOR instead of RMA_SUBARRAY; vectors always use RMA_INDEXED. */
void armcii_rma_shape(struct window *w, struct rma_verb verb, int target, const struct shape *shape, const char *origin,
                      enum rma_typing typing);

/* Atomic update of an int or long (`bytes` = sizeof) at disp: *old = there; there += *value, or there = *value. */
void armcii_rma_fetch_and_op(struct window *w, enum rmw_update update, int target, MPI_Aint disp, size_t bytes, const void *value,
                             void *old);
/* Atomic on an int: *old = there; if it equals `expected`, there = desired. */
void armcii_rma_compare_and_swap(struct window *w, int target, MPI_Aint disp, int expected, int desired, int *old);

#endif
