/* site.h - the environment of the rows: ranks, one region with a slice on each, private buffers,
 * and small collectives. These use the armci_msg_* functions, so that ARMCI decides which processes
 * take part. */
#ifndef ARMCI_BENCH_SITE_H
#define ARMCI_BENCH_SITE_H

#include <stdbool.h>
#include <stddef.h>

enum {
    LARGEST_TRANSFER = 64 << 20,
    MARGIN = 64, /* bytes after a transfer that must not change */
    BUFFER_BYTES = LARGEST_TRANSFER + MARGIN,
    MOST_THREADS = 64
};

struct site {
    int me, ranks;
    int threads;   /* of each rank, in the rows of stall */
    int target;    /* the target of rank 0's operations: rank 1, or rank 0 in a job of one rank */
    char *remote;  /* the target's slice, an address for ARMCI calls: BUFFER_BYTES bytes */
    void **slices; /* of every rank, addresses for ARMCI calls */
    char *slice;   /* the caller's slice */
    char *local;   /* private buffer of the transfers, BUFFER_BYTES bytes */
    char *spare;   /* second private buffer, for memcpy */
    bool same_memory; /* the caller can load and store the target's slice */
};

/* Allocate and touch the memory, create one mutex on each rank. Collective; false if out of
 * memory. */
bool site_open(struct site *site);
/* Free memory and mutexes. Collective. */
void site_close(struct site *site);

/* Between begin and end the caller may load and store its slice. */
void site_access_begin(const struct site *site);
void site_access_end(const struct site *site);

/* Where the caller can load and store that address of global memory of a rank; NULL: nowhere. From
 * then on each fence of this library drains the stores of the program, too. */
void *site_direct(void *address, int rank);

/* Barrier that calls MPI: some MPI libraries progress transfers only inside MPI. */
void site_barrier(void);
/* Broadcast from rank 0. */
long site_share(long value);
/* The sum over all ranks. */
long site_sum(long mine);
/* Is it true on every rank? */
bool site_all(bool mine);
/* The number of ranks on this node. */
int site_ranks_here(const struct site *site);
/* Is the target on rank 0's node? */
bool site_target_here(const struct site *site);

#endif
