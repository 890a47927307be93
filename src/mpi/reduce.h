/* reduce.h - reductions and selection over a communicator, with ARMCI's names of operators and types. */
#ifndef ARMCII_REDUCE_H
#define ARMCII_REDUCE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

struct reduction {
    MPI_Op op;
    MPI_Datatype type;
    int armci_type;
    bool absolute; /* reduces absolute values */
};

/* Bytes of one element of an ARMCI message type (ARMCI_INT ...); 0: invalid type. */
size_t armcii_message_type_size(int type);
/* Finds the reduction named `op` for elements of `type`; false: invalid operator or type. */
bool armcii_reduction_find(const char *op, int type, struct reduction *r);

/* Reduces x[0..n) over comm: the result is on all ranks, or on rank 0 only. */
void armcii_reduce_all(MPI_Comm comm, const struct reduction *r, void *x, int n);
void armcii_reduce_root(MPI_Comm comm, const struct reduction *r, void *x, int n);

/* Each x is a record of `bytes` bytes that begins with a key of `type`.  The contributed record with the largest (or smallest) key, of
 * the lowest rank if keys are equal, replaces x on all ranks.  If no rank contributes, x is unchanged. */
void armcii_select(MPI_Comm comm, void *x, int bytes, bool largest, int type, bool contribute);

#endif
