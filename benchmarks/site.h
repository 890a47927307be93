/* site.h - where the rows are measured: the ranks, one region with a slice on each, private buffers, and the few words
 * that the ranks exchange.  These go through ARMCI's own messages, so that nothing but ARMCI decides who takes part. */
#ifndef ARMCI_BENCH_SITE_H
#define ARMCI_BENCH_SITE_H

#include <stdbool.h>
#include <stddef.h>

enum {
    LARGEST_TRANSFER = 16 << 20,
    MARGIN = 64, /* bytes behind a transfer that have to stay as they are */
    BUFFER_BYTES = LARGEST_TRANSFER + MARGIN
};

struct site {
    int me, ranks;
    int threads;      /* of each rank, in the rows of stall */
    int target;       /* the rank that rank 0 measures towards: 1, in a job of one rank 0 itself */
    char *remote;     /* the target's slice, an address for ARMCI calls: BUFFER_BYTES bytes */
    char *slice;      /* the caller's own slice */
    char *direct;     /* where memcpy finds the target's slice, or the own one where it cannot be reached: see same_memory */
    char *local;      /* private buffer of the transfers, BUFFER_BYTES bytes */
    char *spare;      /* another one, for memcpy */
    bool same_memory; /* `direct` is the very memory that transfers go to */
};

/* Allocate and touch the memory, and one mutex on each rank.  Collective; false where memory is short. */
bool site_open(struct site *site);
/* Free all that.  Collective. */
void site_close(struct site *site);

/* Between begin and end the caller may load and store its own slice. */
void site_access_begin(const struct site *site);
void site_access_end(const struct site *site);

/* Barrier; an MPI library that needs it serves transfers meanwhile. */
void site_barrier(void);
/* Broadcast from rank 0. */
long site_share(long value);
/* The sum over all ranks. */
long site_sum(long mine);
/* Is it true on every rank? */
bool site_all(bool mine);
/* The number of ranks on this machine. */
int site_ranks_here(const struct site *site);
/* Does the target run on rank 0's machine? */
bool site_target_here(const struct site *site);

#endif
