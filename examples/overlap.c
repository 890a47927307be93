/* overlap.c - non-blocking gets: while this rank works on one block, the next one arrives in a
 * second buffer. Every rank sums up a vector that is spread over all of them, piece by piece, the
 * right neighbour's first. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <armci.h>

enum { PIECE = 4096, PIECES = 16, SLICE = PIECE * PIECES }; /* elements */

static double element(int rank, int i)
{
    return 1.0 / (1 + i % 97) + rank;
}

static double work(const double *piece)
{
    double sum = 0;
    for (int i = 0; i < PIECE; i++)
        sum += sqrt(piece[i]);
    return sum;
}

/* Begin to fetch piece k of all, counted from the right neighbour's first. */
static void start(void *slices[], int me, int n, int k, double *buffer, armci_hdl_t *handle)
{
    int p = (me + 1 + k / PIECES) % n;
    ARMCI_INIT_HANDLE(handle);
    ARMCI_NbGet((double *)slices[p] + k % PIECES * PIECE, buffer, PIECE * sizeof(double), p,
                handle);
}

static double sum_of_all(void *slices[], int me, int n)
{
    static double buffer[2][PIECE];
    armci_hdl_t handle[2];
    double sum = 0;
    start(slices, me, n, 0, buffer[0], &handle[0]);
    for (int k = 0; k < n * PIECES; k++) {
        ARMCI_Wait(&handle[k % 2]); /* piece k is here */
        if (k + 1 < n * PIECES)
            start(slices, me, n, k + 1, buffer[(k + 1) % 2], &handle[(k + 1) % 2]);
        sum += work(buffer[k % 2]);
    }
    return sum;
}

static double expected_sum(int n)
{
    double sum = 0;
    for (int p = 0; p < n; p++)
        for (int i = 0; i < SLICE; i++)
            sum += sqrt(element(p, i));
    return sum;
}

int main(int argc, char **argv)
{
    ARMCI_Init_args(&argc, &argv);
    int me = armci_msg_me(), n = armci_msg_nproc();
    void **slices = malloc((size_t)n * sizeof *slices);
    if (!slices || ARMCI_Malloc(slices, SLICE * sizeof(double)) != 0) ARMCI_Error("no memory", 1);
    double *mine = slices[me];
    for (int i = 0; i < SLICE; i++)
        mine[i] = element(me, i);
    ARMCI_Barrier();

    double sum = sum_of_all(slices, me, n), expected = expected_sum(n);
    int wrong = !(fabs(sum - expected) < 1e-9 * expected); /* the order of the additions differs */
    armci_msg_igop(&wrong, 1, "+");
    if (me == 0)
        printf("overlap: sum %.6f, expected %.6f: %s\n", sum, expected, wrong ? "WRONG" : "right");
    ARMCI_Barrier(); /* others may still be reading here */
    ARMCI_Free(slices[me]);
    free(slices);
    ARMCI_Finalize();
    return wrong != 0;
}
