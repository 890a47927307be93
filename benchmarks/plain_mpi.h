/* plain_mpi.h - rows of MPI alone, for comparison. */
#ifndef ARMCI_BENCH_PLAIN_MPI_H
#define ARMCI_BENCH_PLAIN_MPI_H

#include "row.h"

#include <mpi.h>

enum { MPI_WINDOW = 64 }; /* messages at once, as in OSU's benchmarks */

/* Make a communicator with the ranks of ARMCI, which may exclude some processes. Collective; false
 * if out of memory. */
bool mpi_open(const struct site *site);
void mpi_close(void);
MPI_Comm mpi_communicator(void);
/* The time of 8 bytes to the target and back, ns: the least average of short batches, a
 * millisecond in all between nodes. 0 on other ranks than 0, and where MPI has no target or more
 * processes than there are processors: then a message waits until its receiver gets one.
 * Collective. */
double mpi_round_trip(const struct site *site);
/* A window with a slice of BUFFER_BYTES on each rank. Collective; false if there is none. */
bool mpi_open_window(void);
void mpi_close_window(void);
/* Is there a window?  Is the target another process? */
bool mpi_has_window(const struct site *site);
bool mpi_has_target(const struct site *site);

/* 8 bytes there and back; a stream of messages; a barrier; one-sided calls, each complete locally
 * before the next, a put's batch at the target; MPI_WINDOW messages and an empty reply. */
extern const struct row kind_round_trip, kind_send, kind_mpi_barrier, kind_mpi_put, kind_mpi_get,
    kind_mpi_window;

#endif
