/* team_create.c - two ways to make a team: by its members only, or by all of the parent. */
#include <stdlib.h>

#include "base/error.h"
#include "base/lock.h"
#include "mpi/team.h"
#include "mpi/world.h"

/* Two threads may create groups at once: the list of members tells them apart.  On the communicator of messages between locks, whose tags
 * are smaller. */
static int tag_of(int n, const int world_rank[])
{
    enum { LOWEST = 1 << 10, COUNT = (1 << 15) - LOWEST }; /* every MPI library has tags up to 32767 */
    unsigned hash = 2166136261u;
    for (int i = 0; i < n; i++)
        hash = (hash ^ (unsigned)world_rank[i]) * 16777619u;
    return LOWEST + (int)(hash % COUNT);
}

static MPI_Comm join_members(int n, const int world_rank[])
{
    MPI_Group all, some;
    MPI_Comm comm;
    MPI_Comm_group(armcii_world->control, &all);
    MPI_Group_incl(all, n, world_rank, &some);
    unsigned entries = armcii_lock_suspend();
    MPI_Comm_create_group(armcii_world->control, some, tag_of(n, world_rank), &comm);
    armcii_lock_resume(entries);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    return comm;
}

struct team *armcii_team_create_by_members(const struct team *parent, int n, const int ranks[])
{
    int *world_rank = malloc((size_t)n * sizeof *world_rank);
    if (!world_rank) armcii_fatal("out of memory for a group of %d processes", n);
    for (int i = 0; i < n; i++)
        world_rank[i] = parent->to_world[ranks[i]];
    MPI_Comm comm = join_members(n, world_rank);
    free(world_rank);
    return armcii_team_adopt(comm);
}

struct team *armcii_team_create_by_all(const struct team *parent, int n, const int ranks[])
{
    MPI_Group all, some;
    MPI_Comm comm;
    MPI_Comm_group(parent->comm, &all);
    MPI_Group_incl(all, n, ranks, &some);
    unsigned entries = armcii_lock_suspend();
    MPI_Comm_create(parent->comm, some, &comm);
    armcii_lock_resume(entries);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    return comm == MPI_COMM_NULL ? NULL : armcii_team_adopt(comm);
}
