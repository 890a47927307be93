/* strided-count-zero.c - a strided accumulate of three planes of no rows: a count of 0 on a level
 * below the last.
 *
 * It has nothing to add.  The memory of the other process must stay as it was.
 *
 *     mpicc -I../../include strided-count-zero.c -o strided-count-zero LIBARMCI.a
 *     mpiexec -n 2 ./strided-count-zero
 *
 * Expected: "right".  Exit status 1: a wrong answer. */
#include <armci.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int me, wrong = 0;
    void *base[2];
    MPI_Init(&argc, &argv);
    ARMCI_Init();
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    ARMCI_Malloc(base, 4096);
    ARMCI_Access_begin(base[me]);
    *(long *)base[me] = 5;
    ARMCI_Access_end(base[me]);
    ARMCI_Barrier();

    if (me == 0) {
        int dense[2] = {sizeof(long), 64}, stride[2] = {64, 512}, count[3] = {sizeof(long), 0, 3};
        long numbers[64] = {1, 2, 3, 4}, scale = 2, seen = 0;
        ARMCI_AccS(ARMCI_ACC_LNG, &scale, numbers, dense, base[1], stride, count, 2, 1);
        ARMCI_Get(base[1], &seen, sizeof seen, 1);
        printf("expected 5, seen %ld\n", seen);
        wrong = seen != 5;
    }
    MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (me == 0) puts(wrong ? "WRONG" : "right");
    ARMCI_Barrier();
    ARMCI_Free(base[me]);
    ARMCI_Finalize();
    MPI_Finalize();
    return wrong;
}
