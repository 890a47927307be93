/* small-slices.c - a put and a get at a slice whose size is not a multiple of 16 bytes.
 *
 * Every process gives 40 bytes.  Rank 0 gets and puts a number at each end of the slice of rank 1,
 * which then looks at its own memory.
 *
 *     mpicc -I../../include small-slices.c -o small-slices LIBARMCI.a
 *     mpiexec -n 2 ./small-slices
 *
 * Expected: "right".  Exit status 1: a wrong answer. */
#include <armci.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    enum { NUMBERS = 5, LAST = NUMBERS - 1 };
    int me, wrong = 0;
    void *base[2];
    MPI_Init(&argc, &argv);
    ARMCI_Init();
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    ARMCI_Malloc(base, NUMBERS * sizeof(long));
    long *mine = base[me];
    ARMCI_Access_begin(mine);
    for (int i = 0; i < NUMBERS; i++)
        mine[i] = 100 * me + i;
    ARMCI_Access_end(mine);
    ARMCI_Barrier();

    if (me == 0) {
        long seen[2], numbers[2] = {1111, 2222};
        ARMCI_Get(base[1], &seen[0], sizeof(long), 1);
        ARMCI_Get((long *)base[1] + LAST, &seen[1], sizeof(long), 1);
        printf("got: expected 100 %d, seen %ld %ld\n", 100 + LAST, seen[0], seen[1]);
        wrong = seen[0] != 100 || seen[1] != 100 + LAST;
        ARMCI_Put(&numbers[0], base[1], sizeof(long), 1);
        ARMCI_Put(&numbers[1], (long *)base[1] + LAST, sizeof(long), 1);
        ARMCI_Fence(1);
        fflush(stdout);
    }
    ARMCI_Barrier();
    ARMCI_Access_begin(mine);
    if (me == 1) printf("put: expected 1111 2222, seen %ld %ld\n", mine[0], mine[LAST]);
    if (me == 1) wrong = mine[0] != 1111 || mine[LAST] != 2222;
    ARMCI_Access_end(mine);
    fflush(stdout);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (me == 0) puts(wrong ? "WRONG" : "right");
    ARMCI_Free(base[me]);
    ARMCI_Finalize();
    MPI_Finalize();
    return wrong;
}
