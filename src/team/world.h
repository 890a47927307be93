/* world.h - the processes ARMCI runs on: the library's own communicators, rank, size and nodes.  Behind them there may be ranks set aside
 * as agents (server/aside.h), which are no members of the world: they have tables of it, and only the communicator `all`. */
#ifndef ARMCII_WORLD_H
#define ARMCII_WORLD_H

#include <mpi.h>
#include <stdbool.h>

struct world {
    MPI_Comm comm;     /* collectives of the library and of the world group */
    MPI_Comm messages; /* armci_msg_snd and friends, nothing else */
    MPI_Comm control;  /* lock and notify messages */
    int rank, size;    /* rank: of one set aside, in `all` */

    MPI_Comm all;      /* the world and, behind it, the ranks set aside; the same as comm where there are none */
    int aside;         /* how many there are: ranks size, size + 1, ... of `all` */

    /* Nodes are numbered by their first member; members of a node are ascending. */
    int node, nodes;   /* the caller's node, how many there are */
    int *node_of;      /* [size] */
    int *members;      /* [size], grouped by node */
    int *first_member; /* [nodes + 1] positions in members */

    /* Hosts are what really shares memory, whatever the nodes are said to be; named by their lowest rank. */
    int *host_of;      /* [size + aside] */
    int hosts;
    int *agent_of;     /* [size]: who is to serve a process's host, a rank of `all`: the one set aside there, else the first process */
};

extern const struct world *const armcii_world;

/* Collective over comm, of whose ranks the last `aside` ones are set aside, one on each host.  Nodes are the processes that can share
 * memory, or, with `every_rank_a_node`, single processes. */
void armcii_world_create(MPI_Comm comm, int aside, bool every_rank_a_node);
void armcii_world_free(void);

/* Is this process one of the world, and not set aside? */
static inline bool armcii_world_is_member(void)
{
    return armcii_world->rank < armcii_world->size;
}

/* Do these n processes share memory? */
static inline bool armcii_world_is_one_host(int n, const int processes[])
{
    for (int i = 1; i < n; i++)
        if (armcii_world->host_of[processes[i]] != armcii_world->host_of[processes[0]]) return false;
    return true;
}

/* Processes of a node, and the i-th of them. */
static inline int armcii_node_size(int node)
{
    return armcii_world->first_member[node + 1] - armcii_world->first_member[node];
}
static inline int armcii_node_member(int node, int i)
{
    return armcii_world->members[armcii_world->first_member[node] + i];
}

#endif
