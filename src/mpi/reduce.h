/* reduce.h - reductions and selection over a communicator, by ARMCI's names of operators and types. */
#ifndef ARMCII_REDUCE_H
#define ARMCII_REDUCE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include "mpi/team.h"

struct reduction {
    MPI_Op op;
    MPI_Datatype type;
    int armci_type;
    bool absolute; /* of absolute values */
};

/* Bytes of one element of an ARMCI message type (ARMCI_INT ...); 0: no such type. */
size_t armcii_message_type_size(int type);
/* The reduction called `op` on elements of `type`; false: there is none. */
bool armcii_reduction_find(const char *op, int type, struct reduction *r);

/* x[0..n) reduced over comm, everywhere, or at rank 0 only. */
void armcii_reduce_all(MPI_Comm comm, const struct reduction *r, void *x, int n);
void armcii_reduce_first(MPI_Comm comm, const struct reduction *r, void *x, int n);

/* The record x of `bytes` bytes that starts with the largest (or smallest) key of `type`, among those who contribute, replaces x
 * everywhere; the lowest rank's among equals.  Nothing changes where nobody contributes. */
void armcii_select(MPI_Comm comm, void *x, int bytes, bool largest, int type, bool contribute);

/* ---- tree ---- */

/* A binary tree over a list of processes. */

/* Process numbers; -1 where there is none. */
struct tree_place {
    int root, up, left, right;
};

/* The caller's place in the tree over a team's scope; all -1 but the root where it is not in the scope. */
struct tree_place armcii_tree(struct team *team, enum team_scope scope);

/* The rank of a process in a scope's communicator; -1 where it is not in the scope. */
int armcii_scope_rank(struct team *team, enum team_scope scope, int process);

#endif
