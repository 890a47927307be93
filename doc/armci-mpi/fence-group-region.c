/* fence-group-region.c - ARMCI_Fence with a process while a region exists on a group without it.
 *
 * Rank 0 makes a group of itself alone and allocates a region on it; then it puts into a region of
 * all and fences. The fence is about rank 1, which has no part in the group: the region of the
 * group does not concern it.
 *
 *     mpicc -I../../include fence-group-region.c -o fence-group-region LIBARMCI.a
 *     mpiexec -n 2 ./fence-group-region
 *
 * Expected: "right".  Exit status 1: a wrong answer. */
#include <armci.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int me, alone[1] = {0}, wrong = 0;
    void *all[2], *mine[1];
    ARMCI_Group group;
    MPI_Init(&argc, &argv);
    ARMCI_Init();
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    ARMCI_Malloc(all, 64);
    ARMCI_Group_create(1, alone, &group);
    if (me == 0) ARMCI_Malloc_group(mine, 64, &group);

    long number = 7, seen = 0;
    if (me == 0) ARMCI_Put(&number, all[1], sizeof number, 1);
    if (me == 0) ARMCI_Fence(1);
    ARMCI_Barrier();
    ARMCI_Get(all[1], &seen, sizeof seen, 1);
    wrong = seen != 7;
    if (me == 0) puts(wrong ? "WRONG" : "right");

    if (me == 0) ARMCI_Free_group(mine[0], &group);
    if (me == 0) ARMCI_Group_free(&group);
    ARMCI_Barrier();
    ARMCI_Free(all[me]);
    ARMCI_Finalize();
    MPI_Finalize();
    return wrong;
}
