/* aggregate-empty.c - waiting for an aggregate handle that carries no request.
 *
 * The usual frame of an aggregate transfer: set, requests, unset, wait; where it turns out that
 * there is none to make.
 *
 *     mpicc -I../../include aggregate-empty.c -o aggregate-empty LIBARMCI.a
 *     mpiexec -n 2 ./aggregate-empty
 *
 * Expected: "right".  Exit status 1: a wrong answer. */
#include <armci.h>
#include <mpi.h>
#include <stdio.h>

/* Put the numbers, each as a separate request, under one aggregate handle. */
static void put_each(const long *numbers, int n, long *remote, int proc)
{
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_SET_AGGREGATE_HANDLE(&handle);
    for (int i = 0; i < n; i++)
        ARMCI_NbPut((void *)&numbers[i], &remote[i], sizeof(long), proc, &handle);
    ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
    ARMCI_Wait(&handle);
}

int main(int argc, char **argv)
{
    int me, wrong = 0;
    void *base[2];
    MPI_Init(&argc, &argv);
    ARMCI_Init();
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    ARMCI_Malloc(base, 64);
    if (me == 0) {
        long numbers[2] = {11, 22}, seen[2] = {0, 0};
        put_each(numbers, 2, base[1], 1);
        ARMCI_Get(base[1], seen, sizeof seen, 1);
        printf("two requests: expected 11 22, seen %ld %ld\n", seen[0], seen[1]);
        fflush(stdout);
        wrong = seen[0] != 11 || seen[1] != 22;
        put_each(numbers, 0, base[1], 1);
        puts("no request: returned");
    }
    MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (me == 0) puts(wrong ? "WRONG" : "right");
    ARMCI_Barrier();
    ARMCI_Free(base[me]);
    ARMCI_Finalize();
    MPI_Finalize();
    return wrong;
}
