/* matmul.h - the product C = A B of matrices in blocks on a grid of processes: what the algorithms
 * share. Matrices are stored by columns, as BLAS has them. */
#ifndef ARMCI_BENCH_MATMUL_H
#define ARMCI_BENCH_MATMUL_H

#include "site.h"

#include <mpi.h>
#include <stdbool.h>

/* Of the inner dimension in one get or broadcast, at most. A message of less has more overhead, and
 * dgemm is slower; of more, less of the transfer overlaps with dgemm. */
enum { STEP = 512 };

/* One dimension of a matrix, dealt out along an axis of the grid: part i has the block of indices
 * that begins at i x block. The last parts may have less, or nothing. */
struct deal {
    int length, parts, block;
};

struct deal deal_out(int length, int parts);
/* The number of indices in a part, and the part that has an index. */
int deal_count(struct deal deal, int part);
int deal_part(struct deal deal, int index);

/* A is m x k, B is k x n. Process (r, c) of the grid has part r of the rows and part c of the
 * columns of each matrix; its rank is r x columns + c. */
struct matmul {
    int rows, columns, row, column; /* the grid, and this process's place */
    struct deal m, n;               /* of the rows of A and C, the columns of B and C */
    struct deal k_of_a, k_of_b;     /* the inner dimension: columns of A, rows of B */
    void **blocks;         /* of every rank, addresses for ARMCI: its block of A, then of B */
    double *a, *b, *c;     /* this process's blocks */
    double *buffers[2][2]; /* two for a step of A, two for one of B */
};

/* Bytes from a rank's block of A to its block of B. */
size_t matmul_offset(const struct matmul *p);
/* Distance between the columns of a block of this height. */
int leading(int height);

/* A part of A or B that is ready for dgemm. */
struct operand {
    const double *data;
    int leading; /* distance between columns */
};

/* C (the caller's block) becomes a b, or C + a b; inner: their common dimension. */
void matmul_step(const struct matmul *p, struct operand a, struct operand b, int inner, bool add);

/* The algorithms; collective. C is complete on every rank at the next barrier. */
void srumma(const struct matmul *p);
void summa(const struct matmul *p);
/* Communicators of the rows and the columns of the grid. */
void summa_open(MPI_Comm comm, const struct matmul *p);
void summa_close(void);

/* ScaLAPACK's pdgemm on the same blocks. Why there is none: a sentence, or NULL. */
const char *scalapack_open(MPI_Comm comm, const struct matmul *p);
void scalapack_close(void);
void scalapack(const struct matmul *p);

/* Find dgemm in the system's BLAS, with one thread a process. Why there is none, or NULL. */
const char *blas_open(void);

#endif
