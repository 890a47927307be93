/* world.h - the processes ARMCI runs on: the library's own communicators, rank, size and nodes.  Behind them there may be progress ranks
 * as servers (transport/am/progress_rank.h), which are no members of the world: they have tables of it, and only the communicator `all`. */
#ifndef ARMCII_WORLD_H
#define ARMCII_WORLD_H

#include <mpi.h>
#include <stdbool.h>

struct world {
    MPI_Comm comm;     /* collectives of the library and of the world group */
    MPI_Comm messages; /* armci_msg_snd and friends, nothing else */
    MPI_Comm control;  /* lock and notify messages */
    int rank, size;    /* rank: of a progress rank, in `all` */

    MPI_Comm all;       /* the world and, behind it, the progress ranks; the same as comm where there are none */
    int progress_ranks; /* how many there are: ranks size, size + 1, ... of `all` */

    /* Domains are what the program is told about nodes (SCOPE_NODE, armci_domain_*); numbered by their first member, members ascending. */
    int domain, domains; /* the caller's; how many there are */
    int *domain_of;      /* [size] */
    int *members;        /* [size], grouped by domain */
    int *first_member;   /* [domains + 1], positions in members */

    /* Nodes are what really shares memory; named by their lowest rank. */
    int *node_of;   /* [size + progress_ranks] */
    int nodes;
    int *server_of; /* [size]: who serves a process's node, a rank of `all`: the progress rank there, else the first process */
};

extern const struct world *const armcii_world;

/* Collective over comm, of whose ranks the last `progress_ranks` ones are progress ranks, one on each node.  Domains are the nodes or, with
 * `every_rank_a_domain`, single processes. */
void armcii_world_create(MPI_Comm comm, int progress_ranks, bool every_rank_a_domain);
void armcii_world_free(void);

/* Is this process one of the world, and not set aside? */
static inline bool armcii_world_is_member(void)
{
    return armcii_world->rank < armcii_world->size;
}

/* Do these n processes share memory? */
static inline bool armcii_world_is_one_node(int n, const int processes[])
{
    for (int i = 1; i < n; i++)
        if (armcii_world->node_of[processes[i]] != armcii_world->node_of[processes[0]]) return false;
    return true;
}

/* Processes of a domain, and the i-th of them. */
static inline int armcii_domain_size(int domain)
{
    return armcii_world->first_member[domain + 1] - armcii_world->first_member[domain];
}
static inline int armcii_domain_member(int domain, int i)
{
    return armcii_world->members[armcii_world->first_member[domain] + i];
}

#endif
