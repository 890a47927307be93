/* select-tie.c - armci_msg_sel where two processes have the same largest element.
 *
 * A record is the element and the rank that it comes from.  Whichever of equal ones is chosen, all
 * must hold the same afterwards.
 *
 *     mpicc -I../../include select-tie.c -o select-tie LIBARMCI.a
 *     mpiexec -n 2 ./select-tie
 *
 * Expected: "right".  Exit status 1: a wrong answer. */
#include <armci.h>
#include <message.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int me, wrong = 0;
    MPI_Init(&argc, &argv);
    ARMCI_Init();
    MPI_Comm_rank(MPI_COMM_WORLD, &me);

    long record[2] = {5, me}, first[2];
    armci_msg_sel(record, sizeof record, "max", ARMCI_LONG, 1);
    first[0] = record[0], first[1] = record[1];
    MPI_Bcast(first, 2, MPI_LONG, 0, MPI_COMM_WORLD);
    if (record[0] != first[0] || record[1] != first[1]) {
        printf("rank 0 holds %ld of rank %ld, rank %d holds %ld of rank %ld\n", first[0], first[1],
               me, record[0], record[1]);
        fflush(stdout);
        wrong = 1;
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (me == 0) puts(wrong ? "WRONG" : "right");

    ARMCI_Finalize();
    MPI_Finalize();
    return wrong;
}
