/* reduce.c - armci_msg_reduce: the sum over all processes, at rank 0.
 *
 *     mpicc -I../../include reduce.c -o reduce LIBARMCI.a
 *     mpiexec -n 2 ./reduce
 *
 * Expected: "right".  Exit status 1: a wrong answer. */
#include <armci.h>
#include <message.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int me, size, wrong = 0;
    MPI_Init(&argc, &argv);
    ARMCI_Init();
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    int number = me + 1, expected = size * (size + 1) / 2;
    armci_msg_reduce(&number, 1, "+", ARMCI_INT);
    if (me == 0) printf("expected %d, seen %d\n", expected, number);
    if (me == 0) wrong = number != expected;
    MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (me == 0) puts(wrong ? "WRONG" : "right");

    ARMCI_Finalize();
    MPI_Finalize();
    return wrong;
}
