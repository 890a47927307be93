/* fake_mpi.h - takes the place of the seam to MPI's one-sided part (src/mpi/window.c, rma.c) in unit tests.
 *
 * Every call is recorded.  Remote memory is simulated, and as unhelpful as MPI allows: an operation takes effect when
 * it is flushed, not before, and several that are flushed together take effect in any order; a local buffer is read
 * when the operation completes locally.  So an ordering or a completion that is missing shows as wrong data.  What MPI
 * forbids (bytes outside a slice, segments of one call that meet where it writes, a window freed with operations on it)
 * fails the test at once. */
#ifndef FAKE_MPI_H
#define FAKE_MPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi/rma.h"
#include "mpi/window.h"

/* When operations take effect. */
enum fake_order { FAKE_AT_ONCE, FAKE_IN_ORDER, FAKE_REVERSED, FAKE_SHUFFLED, FAKE_ORDERS };

struct fake_settings {
    enum fake_order order;
    unsigned members;  /* of windows made from now on */
    size_t pad;       /* of those: bytes of a member's slice before its base, times its rank + 1 */
    int failures;      /* so many calls that make windows or attach memory fail from now on */
    bool only_record;  /* move nothing, look at no address: for transfers too large for this machine */
};
extern struct fake_settings fake_mpi;

enum fake_kind {
    FAKE_PUT,
    FAKE_GET,
    FAKE_ACC,
    FAKE_SHAPE_PUT,
    FAKE_SHAPE_GET,
    FAKE_SHAPE_ACC,
    FAKE_FETCH_AND_OP,
    FAKE_COMPARE_AND_SWAP,
    FAKE_FLUSH,
    FAKE_FLUSH_ALL,
    FAKE_FLUSH_LOCAL,
    FAKE_SYNC,
    FAKE_PROGRESS,
    FAKE_CREATE,
    FAKE_CREATE_DYNAMIC,
    FAKE_ATTACH,
    FAKE_DETACH,
    FAKE_FREE,
    FAKE_KINDS
};

/* One recorded call; what a call has no use for is 0. */
struct fake_call {
    enum fake_kind kind;
    int window; /* windows are numbered as they are made, from 0 */
    int rank;
    MPI_Aint disp; /* of the lowest byte */
    size_t bytes, segments;
    enum rma_typing typing; /* FAKE_SHAPE_... */
};

/* Nothing is recorded, no window there; FAKE_SHUFFLED depends on the seed. */
void fake_mpi_start(enum fake_order order, unsigned members, unsigned seed);
/* Fails where operations are not complete; frees what is left. */
void fake_mpi_end(void);

/* A window over memory of the test: memory[i] of bytes[i] bytes is the slice of member i of `members`. */
void fake_window_over(struct window *w, unsigned members, char *const memory[], const size_t bytes[]);
/* The simulated slice of a member: its base, and the displacement of that. */
char *fake_memory(const struct window *w, int rank);
size_t fake_pad(const struct window *w, int rank);

/* Called once, at the beginning of the next call that is recorded: what another thread does meanwhile. */
extern void (*fake_meanwhile)(void);

/* Calls recorded since the start or the last fake_forget, and how many of one kind. */
size_t fake_calls(void);
const struct fake_call *fake_call(size_t i);
size_t fake_count(enum fake_kind kind);
void fake_forget(void);
/* The most operations that were at one time in flight (not complete locally) to one member, over all windows. */
size_t fake_most_in_flight(void);

/* All of them as text: "put 0/1 16+8; flush 0/1" is 8 bytes to displacement 16 of member 1 of window 0, then a flush.
 * Valid until the next call. */
const char *fake_text(void);
/* Fail, showing both, unless that is the text; then forget. */
void fake_expect(const char *where, const char *text);

#endif
