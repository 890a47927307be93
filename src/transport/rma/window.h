/* window.h - RMA windows, with one passive epoch from creation to free, and the calls on them: the
 * interface to MPI's one-sided functions, which unit tests replace by a recording fake.
 * Displacements and lengths are in bytes. */
#ifndef ARMCII_WINDOW_H
#define ARMCII_WINDOW_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "shape/accumulate.h"
#include "shape/shape.h"

struct window {
    MPI_Win win;
    void *base; /* the caller's slice; NULL in a dynamic window or for 0 bytes */
    size_t pad; /* displacement of base: MPI's memory may begin earlier, unaligned */
};

enum window_memory {
    WINDOW_MEMORY_MPI,   /* MPI_Win_allocate: MPI may place the slices in shared memory */
    WINDOW_MEMORY_SHARED /* MPI_Win_allocate_shared: the members share memory */
};

/* Collective over comm: a window with `bytes` of memory on each member, aligned to 64 bytes;
 * `bytes` may differ and be 0. Slices are rounded up to multiples of `unit`, a power of two.
 * Returns 0 or, on every member, nonzero on failure. */
int armcii_window_create(struct window *w, size_t bytes, size_t unit, enum window_memory memory,
                         MPI_Comm comm);
/* Collective: a window over memory that the caller owns, at a multiple of 16: elsewhere puts of
 * MPICH 4.0.2 land before their place. */
int armcii_window_create_over(struct window *w, void *memory, size_t bytes, MPI_Comm comm);
/* Collective: a window without memory; armcii_window_attach adds memory, until the window is freed.
 * The displacement of an attached byte is its address. */
int armcii_window_create_dynamic(struct window *w, MPI_Comm comm);
int armcii_window_attach(struct window *w, void *memory, size_t bytes);
/* Collective. All operations on the window are complete. */
void armcii_window_free(struct window *w);

/* ---- one-sided calls; a flush completes them ---- */

/* The kind of derived datatype for a shape: with strides, or with a list of displacements. */
enum rma_typing { RMA_STRIDED, RMA_INDEXED };

/* Any number of contiguous bytes between `local` and displacement `disp` of rank `target`. */
void armcii_window_transfer(struct window *w, struct op_verb verb, int target, void *local,
                            MPI_Aint disp, size_t bytes);

/* The whole shape, at most 1 GiB, by one call with derived datatypes. `origin` is the address in
 * the target with displacement 0. Vectors always use RMA_INDEXED. */
void armcii_window_transfer_shape(struct window *w, struct op_verb verb, int target,
                                  const struct shape *shape, const char *origin,
                                  enum rma_typing typing);

/* Atomic update of an int or long (`bytes` = sizeof) at disp: *old = there; there += *value, or
 * there = *value. */
void armcii_window_fetch_and_op(struct window *w, enum rmw_update update, int target, MPI_Aint disp,
                                size_t bytes, const void *value, void *old);
/* Atomic on an int: *old = there; if it equals `expected`, there = desired. */
void armcii_window_compare_and_swap(struct window *w, int target, MPI_Aint disp, int expected,
                                    int desired, int *old);

/* ---- completion ---- */

/* Complete the caller's operations towards rank `target`: remotely, or locally. */
void armcii_window_flush(struct window *w, int target);
void armcii_window_flush_local(struct window *w, int target);
/* Makes completed operations of others visible to the caller's loads, and the caller's stores
 * visible to others. */
void armcii_window_sync(struct window *w);

#endif
