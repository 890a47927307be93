/* create.c - two ways to make a team: by its members only, or by all of the parent. */
#include <stdlib.h>

#include "base/error.h"
#include "team/team.h"
#include "team/world.h"

/* J. Dinan et al., "Noncollective Communicator Creation in MPI", EuroMPI 2011: start from single processes; in each step
 * neighbouring blocks of 2^k members meet through an intercommunicator between their first members and merge, lower ranks first. */
static MPI_Comm merge_members(int n, const int world_rank[], int me)
{
    enum { TAG = 21 };
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    for (int block = 1; block < n; block *= 2) {
        int first = me / block * block; /* of my block */
        int high = (me / block) % 2;
        int other = high ? first - block : first + block;
        if (other >= n) continue; /* an odd block waits for the next step */
        MPI_Comm between, merged;
        MPI_Intercomm_create(comm, 0, armcii_world->control, world_rank[other], TAG, &between);
        MPI_Intercomm_merge(between, high, &merged);
        MPI_Comm_free(&between);
        MPI_Comm_free(&comm);
        comm = merged;
    }
    return comm;
}

struct team *armcii_team_create_by_members(const struct team *parent, int n, const int ranks[])
{
    int *world_rank = malloc((size_t)n * sizeof *world_rank);
    if (!world_rank) armcii_fatal("out of memory for a group of %d processes", n);
    int me = -1;
    for (int i = 0; i < n; i++) {
        world_rank[i] = parent->to_world[ranks[i]];
        if (world_rank[i] == armcii_world->rank) me = i;
    }
    MPI_Comm comm = merge_members(n, world_rank, me);
    free(world_rank);
    return armcii_team_adopt(comm);
}

struct team *armcii_team_create_by_all(const struct team *parent, int n, const int ranks[])
{
    MPI_Group all, some;
    MPI_Comm comm;
    MPI_Comm_group(parent->comm, &all);
    MPI_Group_incl(all, n, ranks, &some);
    MPI_Comm_create(parent->comm, some, &comm);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    return comm == MPI_COMM_NULL ? NULL : armcii_team_adopt(comm);
}
