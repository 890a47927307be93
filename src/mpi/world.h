/* world.h - the processes ARMCI runs on: communicators of the library, rank, size and nodes. */
#ifndef ARMCII_WORLD_H
#define ARMCII_WORLD_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

struct world {
    MPI_Comm comm;     /* collectives of the library and of the world group */
    MPI_Comm messages; /* armci_msg_* only */
    MPI_Comm control;  /* other messages of the library, and what communicators are created from */
    MPI_Comm on_node;  /* the processes of the caller's node; on one host the same as `comm` */
    int rank, size;

    /* The following tables, and no others, are the same in all processes: one block, which the
     * processes of a node share (armcii_world_fill_tables). */
    int *tables; /* the block, of table_bytes */
    size_t table_bytes;
    bool shares_tables;
    int *identity; /* [size]: i at i */

    /* Domains are the nodes as the program sees them (SCOPE_NODE, armci_domain_*), in the order of
     * their first members. */
    int domain, domains; /* the caller's domain; the number of domains */
    int *domain_of;      /* [size] */
    int *members;        /* [size], grouped by domain, ascending */
    int *first_member;   /* [domains + 1], positions in members */

    /* Processes on one node share memory. The lowest rank on a node identifies it. */
    int *node_of;       /* [size]; this process is also the server of the node */
    int *local_rank_of; /* [size]: rank on its node */
    int nodes;
    int *leaders; /* [nodes]: the lowest rank of each node, ascending */
    int node;     /* of this process, an index in leaders */
    int leader;   /* of this process's node; known before the tables are */
};

extern const struct world *const armcii_world;

/* Collective over comm. Domains are nodes or, with `every_rank_a_domain`, single processes. The
 * tables do not exist yet. */
void armcii_world_create(MPI_Comm comm, bool every_rank_a_domain);
/* Collective over the world. Make the tables: at `place`, zeroed memory of table_bytes which the
 * processes of each node share; or, where one has NULL, all have NULL, in each process. */
void armcii_world_fill_tables(int *place);
void armcii_world_free(void);

/* The number of a node, an index in `leaders`; node: a value of node_of. */
static inline int armcii_world_node_number(int node)
{
    int low = 0, high = armcii_world->nodes - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (armcii_world->leaders[middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* True if this process is on the caller's node. */
static inline bool armcii_world_is_on_node(int process)
{
    return armcii_world->node_of[process] == armcii_world->node_of[armcii_world->rank];
}

/* True if these n processes share memory. */
static inline bool armcii_world_is_one_node(int n, const int processes[])
{
    for (int i = 1; i < n; i++)
        if (armcii_world->node_of[processes[i]] != armcii_world->node_of[processes[0]])
            return false;
    return true;
}

/* The number of processes in a domain, and its i-th process. */
static inline int armcii_domain_size(int domain)
{
    return armcii_world->first_member[domain + 1] - armcii_world->first_member[domain];
}
static inline int armcii_domain_member(int domain, int i)
{
    return armcii_world->members[armcii_world->first_member[domain] + i];
}

#endif
