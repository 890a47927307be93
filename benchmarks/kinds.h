/* kinds.h - what rows of more than one group have in common: the calls, the data and how they are checked.  A group
 * copies a kind and adds the name, the patch and what else the row needs. */
#ifndef ARMCI_BENCH_KINDS_H
#define ARMCI_BENCH_KINDS_H

#include "row.h"

/* transfer.c: one segment; strided.c: patches; vector.c: lists of addresses. */
extern const struct row kind_put, kind_get, kind_acc;
extern const struct row kind_put_strided, kind_get_strided, kind_acc_strided;
extern const struct row kind_put_vector, kind_get_vector, kind_acc_vector;
/* latency.c; the barrier is a row of all ranks. */
extern const struct row kind_rmw, kind_lock, kind_fence, kind_barrier;
/* nonblocking.c: each segment of the patch is a separate put. */
extern const struct row kind_puts, kind_puts_implicit, kind_puts_aggregate;
/* plain.c: MPI's messages between rank 0 and the target and its barrier; rows of all ranks. */
extern const struct row kind_round_trip, kind_send, kind_mpi_barrier;

#endif
