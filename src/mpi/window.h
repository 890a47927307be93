/* window.h - RMA windows: memory that the members of a communicator can reach, in one passive epoch from creation to free.
 * Together with rma.h the seam to the MPI library's one-sided part; a test may replace both by a recording fake. */
#ifndef ARMCII_WINDOW_H
#define ARMCII_WINDOW_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

struct window {
    MPI_Win win;
    void *base;         /* the caller's slice; NULL in a dynamic window or for 0 bytes */
    size_t lead;        /* displacement of base: MPI's own memory may begin earlier, unaligned */
    void *own;          /* memory to free with the window, where it is not the MPI library's; else NULL */
};

enum window_memory {
    WINDOW_MEMORY_MPI,    /* MPI_Win_allocate: the library may place the slices in shared memory */
    WINDOW_MEMORY_SHARED, /* MPI_Win_allocate_shared, for members that share memory */
    WINDOW_MEMORY_OWN     /* ours, by MPI_Win_create */
};

/* Collective over comm: `bytes` (may differ, may be 0) of memory on each member, aligned to 64 bytes, and its window.
 * Slices are rounded up to multiples of `unit`, a power of two.  Returns 0, or nonzero (on every member) when MPI gives none. */
int armcii_window_create(struct window *w, size_t bytes, size_t unit, enum window_memory memory, MPI_Comm comm);
/* Collective: a window over `bytes` of the caller's memory at `memory`, which stays the caller's. */
int armcii_window_create_over(struct window *w, void *memory, size_t bytes, MPI_Comm comm);
/* Where the slice of rank `target` begins in this process; the window's memory is WINDOW_MEMORY_SHARED. */
void *armcii_window_neighbour(const struct window *w, int target);
/* Collective: a window without memory; armcii_window_attach adds some.  The displacement of an attached byte is its address. */
int armcii_window_create_dynamic(struct window *w, MPI_Comm comm);
int armcii_window_attach(struct window *w, void *memory, size_t bytes);
void armcii_window_detach(struct window *w, void *memory);
/* Collective.  Everything on the window has been completed before. */
void armcii_window_free(struct window *w);

/* Complete all of the caller's operations towards rank `target` there (flush), or as far as local buffers go (flush_local). */
void armcii_window_flush(struct window *w, int target);
/* The same towards all members. */
void armcii_window_flush_all(struct window *w);
void armcii_window_flush_local(struct window *w, int target);
/* Make what others completed visible to the caller's loads, and its stores to others. */
void armcii_window_sync(struct window *w);
/* Let the MPI library make progress. */
void armcii_window_progress(MPI_Comm comm);
/* How often that happened, by flushes, too; does it happen now?  Who sees that need not do it. */
unsigned armcii_window_visits(void);
bool armcii_window_is_visited(void);

#endif
