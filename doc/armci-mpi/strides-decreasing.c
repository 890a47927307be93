/* strides-decreasing.c - a strided put whose outer stride is smaller than the inner one.
 *
 * Two interleaved planes, 16 bytes apart, of three rows, 64 bytes apart, of 8 bytes each.  No byte
 * is named twice.
 *
 *     mpicc -I../../include strides-decreasing.c -o strides-decreasing LIBARMCI.a
 *     mpiexec -n 2 ./strides-decreasing
 *
 * Expected: "right".  Exit status 1: a wrong answer. */
#include <armci.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { BYTES = 192, WIDTH = 8, ROWS = 3, PLANES = 2, ROW = 64, PLANE = 16 };

/* Compare what was brought with what it must be; print the first difference. */
static int differs(const char *what, const char *seen, const char *expected, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        if (seen[i] == expected[i]) continue;
        printf("%s: byte %d: expected '%c', seen '%c'\n", what, i, expected[i], seen[i]);
        return 1;
    }
    return 0;
}

static int exchange(char *remote)
{
    int stride[2] = {ROW, PLANE}, dense[2] = {WIDTH, WIDTH * ROWS},
        count[3] = {WIDTH, ROWS, PLANES};
    char local[WIDTH * ROWS * PLANES], back[sizeof local], expected[BYTES], seen[BYTES];
    for (int i = 0; i < (int)sizeof local; i++)
        local[i] = (char)('a' + i % 26);
    memset(expected, '.', BYTES);
    for (int p = 0; p < PLANES; p++)
        for (int r = 0; r < ROWS; r++)
            memcpy(expected + p * PLANE + r * ROW, local + (p * ROWS + r) * WIDTH, WIDTH);

    ARMCI_PutS(local, dense, remote, stride, count, 2, 1);
    ARMCI_Get(remote, seen, BYTES, 1);
    int wrong = differs("put", seen, expected, BYTES);
    ARMCI_Put(expected, remote, BYTES, 1);
    memset(back, '.', sizeof back);
    ARMCI_GetS(remote, stride, back, dense, count, 2, 1);
    return wrong | differs("get", back, local, (int)sizeof back);
}

int main(int argc, char **argv)
{
    int me, wrong = 0;
    void *base[2];
    MPI_Init(&argc, &argv);
    ARMCI_Init();
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    ARMCI_Malloc(base, 4096);
    ARMCI_Access_begin(base[me]);
    memset(base[me], '.', 4096);
    ARMCI_Access_end(base[me]);
    ARMCI_Barrier();
    if (me == 0) wrong = exchange(base[1]);
    MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (me == 0) puts(wrong ? "WRONG" : "right");
    ARMCI_Barrier();
    ARMCI_Free(base[me]);
    ARMCI_Finalize();
    MPI_Finalize();
    return wrong;
}
