/* fake_mpi.h - a fake of MPI's one-sided functions that replaces src/transport/rma/window.c and
 * src/mpi/progress.c in unit tests.
 *
 * It records every call and simulates remote memory with the weakest guarantees of MPI: an
 * operation takes effect when it is flushed, those flushed together take effect in any order, and a
 * local buffer is read at local completion. A missing order or completion therefore shows as wrong
 * data. What MPI forbids fails the test immediately: bytes outside a slice, a call that writes a
 * byte twice, a window freed with incomplete operations. */
#ifndef FAKE_MPI_H
#define FAKE_MPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi/progress.h"
#include "transport/rma/window.h"

/* When operations take effect. */
enum fake_order { FAKE_AT_ONCE, FAKE_IN_ORDER, FAKE_REVERSED, FAKE_SHUFFLED, FAKE_ORDERS };

struct fake_settings {
    enum fake_order order;
    unsigned members; /* of new windows */
    size_t pad;       /* of new windows: displacement of a slice's base, divided by rank + 1 */
    int failures;     /* this many next calls that create windows or attach memory fail */
    bool only_record; /* move no data: for transfers larger than memory */
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
    FAKE_FLUSH_LOCAL,
    FAKE_SYNC,
    FAKE_PROGRESS,
    FAKE_CREATE,
    FAKE_CREATE_DYNAMIC,
    FAKE_ATTACH,
    FAKE_FREE,
    FAKE_KINDS
};

/* One recorded call; unused members are 0. */
struct fake_call {
    enum fake_kind kind;
    int window; /* in order of creation, from 0 */
    int rank;
    MPI_Aint disp; /* of the lowest byte */
    size_t bytes, segments;
    enum rma_typing typing; /* FAKE_SHAPE_... */
};

/* Starts without calls and windows; FAKE_SHUFFLED depends on the seed. */
void fake_mpi_start(enum fake_order order, unsigned members, unsigned seed);
/* Fails if operations are incomplete; frees all windows. */
void fake_mpi_end(void);

/* A window over memory of the test: memory[i] with bytes[i] bytes is the slice of member i. */
void fake_window_over(struct window *w, unsigned members, char *const memory[],
                      const size_t bytes[]);
/* The base of a member's simulated slice, and its displacement. */
char *fake_memory(const struct window *w, int rank);
size_t fake_pad(const struct window *w, int rank);

/* Called once, at the beginning of the next recorded call: simulates another thread. */
extern void (*fake_meanwhile)(void);

/* Calls recorded since the start or the last fake_forget, and how many of one kind. */
size_t fake_calls(void);
const struct fake_call *fake_call(size_t i);
size_t fake_count(enum fake_kind kind);
void fake_forget(void);
/* The maximum number of operations in flight (not complete locally) to one member over all windows.
 */
size_t fake_most_in_flight(void);

/* The recorded calls as text, valid until the next call.  "put 0/1 16+8; flush 0/1": 8 bytes to
 * displacement 16 of member 1 of window 0, then a flush. */
const char *fake_text(void);
/* Fails unless `text` is the text of the recorded calls; then forgets them. */
void fake_expect(const char *where, const char *text);

#endif
