/* group-of-one.c - a region on a group of one process.
 *
 * Each process makes a group of itself alone and allocates on it.
 *
 *     mpicc -I../../include group-of-one.c -o group-of-one LIBARMCI.a
 *     mpiexec -n 2 ./group-of-one
 *
 * Expected: "right".  Exit status 1: a wrong answer. */
#include <armci.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int me, size, wrong = 0;
    ARMCI_Group own = {0};
    void *base[1];
    MPI_Init(&argc, &argv);
    ARMCI_Init();
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int rank = 0; rank < size; rank++) {
        ARMCI_Group made;
        ARMCI_Group_create(1, &rank, &made);
        if (rank == me) own = made;
    }

    long number = 7 + me, seen = 0;
    ARMCI_Malloc_group(base, 64, &own);
    ARMCI_Put(&number, base[0], sizeof number, me);
    ARMCI_Get(base[0], &seen, sizeof seen, me);
    wrong = seen != number;
    printf("rank %d: expected %ld, seen %ld\n", me, number, seen);
    ARMCI_Free_group(base[0], &own);
    ARMCI_Group_free(&own);

    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (me == 0) puts(wrong ? "WRONG" : "right");
    ARMCI_Finalize();
    MPI_Finalize();
    return wrong;
}
