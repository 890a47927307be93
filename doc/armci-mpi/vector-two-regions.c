/* vector-two-regions.c - a vector put whose segments lie in two regions of the same process.
 *
 * A vector transfer is a list of addresses of one process; ARMCI does not ask that they belong to
 * one allocation.
 *
 *     mpicc -I../../include vector-two-regions.c -o vector-two-regions LIBARMCI.a
 *     mpiexec -n 2 ./vector-two-regions
 *
 * Expected: "right".  Exit status 1: a wrong answer. */
#include <armci.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int me, wrong = 0;
    void *first[2], *second[2];
    MPI_Init(&argc, &argv);
    ARMCI_Init();
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    ARMCI_Malloc(first, 4096);
    ARMCI_Malloc(second, 4096);

    if (me == 0) {
        long numbers[2] = {11, 22}, seen[2] = {0, 0};
        void *from[2] = {&numbers[0], &numbers[1]}, *to[2] = {first[1], second[1]};
        armci_giov_t both = {
            .src_ptr_array = from, .dst_ptr_array = to, .bytes = sizeof(long), .ptr_array_len = 2};
        ARMCI_PutV(&both, 1, 1);
        ARMCI_Get(first[1], &seen[0], sizeof(long), 1);
        ARMCI_Get(second[1], &seen[1], sizeof(long), 1);
        wrong = seen[0] != 11 || seen[1] != 22;
        printf("expected 11 22, seen %ld %ld\n", seen[0], seen[1]);
    }
    MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (me == 0) puts(wrong ? "WRONG" : "right");

    ARMCI_Barrier();
    ARMCI_Free(second[me]);
    ARMCI_Free(first[me]);
    ARMCI_Finalize();
    MPI_Finalize();
    return wrong;
}
