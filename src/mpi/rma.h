/* rma.h - one-sided calls on a window: the other half of the seam to the MPI library's one-sided part.
 * Displacements and lengths are bytes; nothing here completes an operation: see armcii_window_flush. */
#ifndef ARMCII_RMA_H
#define ARMCII_RMA_H

#include <mpi.h>
#include <stddef.h>

#include "mpi/window.h"
#include "shape/element.h"
#include "shape/shape.h"

enum rma_kind { RMA_PUT, RMA_GET, RMA_ACC };

/* What moves: the kind and, for accumulate, the element type. */
struct rma_verb {
    enum rma_kind kind;
    enum element element;
};

/* How a shape becomes a derived datatype. */
enum rma_typing { RMA_SUBARRAY, RMA_HVECTOR, RMA_INDEXED };

/* `bytes` contiguous bytes, any number, between `local` and displacement `disp` of rank `target`. */
void armcii_rma_contiguous(struct window *w, struct rma_verb verb, int target, void *local, MPI_Aint disp, size_t bytes);

/* The whole shape by one call with a derived datatype on either side; at most 1 GiB.  `origin` is the address in the target whose
 * displacement is 0.  RMA_SUBARRAY wants strides that nest on a side, server_map that side takes RMA_HVECTOR; RMA_INDEXED takes vectors
 * (and is taken for them whatever `typing` says). */
void armcii_rma_shape(struct window *w, struct rma_verb verb, int target, const struct shape *shape, const char *origin,
                      enum rma_typing typing);

/* Atomic operations on one int or long (bytes = sizeof) at disp: *old = there; there += *value, or there = *value. */
void armcii_rma_fetch_and_op(struct window *w, enum rmw_update update, int target, MPI_Aint disp, size_t bytes, const void *value,
                             void *old);
/* *old = there; if it equals `expected`, there = desired; ints. */
void armcii_rma_compare_and_swap(struct window *w, int target, MPI_Aint disp, int expected, int desired, int *old);

#endif
