/* team.h - groups of processes: the state of an ARMCI_Group. */
#ifndef ARMCII_TEAM_H
#define ARMCII_TEAM_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first three are SCOPE_ALL, SCOPE_NODE and SCOPE_MASTERS. TEAM_NODE: the members that share
 * memory with the caller, even if the program sees every process as its own node. */
enum team_scope { TEAM_ALL, TEAM_DOMAIN, TEAM_MASTERS, TEAM_NODE, TEAM_SCOPES };

struct scope {
    int n;         /* members; 0: not yet computed */
    int *ranks;    /* [n], in the team, ascending; NULL in TEAM_ALL: all ranks */
    MPI_Comm comm; /* created by the first use; MPI_COMM_NULL if the caller is not in the scope */
};

struct team {
    MPI_Comm comm; /* its ranks are the ranks in the team */
    int rank, size;
    unsigned number; /* no team of this process has had it before; 0: the world */
    int *to_world;   /* [size] */
    int *ascending;  /* [size]: the ranks in the order of their processes; NULL: to_world ascends */
    uint64_t *nodes; /* bits of the nodes with a member, by number; NULL: all nodes */
    int tag;         /* of messages from the caller, unlike that of its other teams */
    int root_tag;    /* the tag of member 0, which tells its teams apart */
    int peer_tag[8 * sizeof(int)]; /* [i]: the tag of the member 2^i ranks below the caller */
    struct scope scopes[TEAM_SCOPES];
    bool open;        /* not yet freed by the program */
    int users;        /* regions and the group itself; the last one frees the team */
    size_t unchecked; /* bytes that its regions may take before the memory of the nodes is checked
                      again */
    struct team_memory *memory; /* of its regions; freed by free_memory (node/range.h) */
    void (*free_memory)(struct team_memory *memory);
    struct agreement *agreement; /* part of memory (node/agree.h) */
    struct team *next;
};

/* The functions take the global lock if they need it; collective ones release it while they wait.
 */

/* The team of all processes. */
struct team *armcii_team_world(void);
void armcii_team_create_world(void);
/* Frees all remaining teams. */
void armcii_team_free_all(void);

/* Creation of teams. If MPI refuses the communicator to one of the processes that take part, all
 * return false and warn. */

/* A team of the n processes with the given ranks in the parent, in that order. Collective over
 * these processes; several threads may create teams at once, with different lists. */
bool armcii_team_create_by_members(const struct team *parent, int n, const int ranks[],
                                   struct team **team);
/* As MPI_Comm_split and MPI_Comm_dup. */
bool armcii_team_split(const struct team *parent, int color, int key, struct team **team);
bool armcii_team_dup(const struct team *parent, struct team **team);

/* The open team with that communicator, which MPI may have given to others before, and that number;
 * NULL: none. */
struct team *armcii_team_find(MPI_Comm comm, unsigned number);
/* Adds or removes a user; the last release frees the team. Collective, because freeing a
 * communicator is. */
void armcii_team_hold(struct team *team);
void armcii_team_release(struct team *team);
/* The program frees the group: armcii_team_find no longer finds it, but it stays until its regions
 * are freed. */
void armcii_team_close(struct team *team);

/* The rank of a process in the team; -1: no member. */
int armcii_team_rank(const struct team *team, int process);
/* True if the team has a member on that node (a value of armcii_world->node_of). */
bool armcii_team_is_on_node(const struct team *team, int node);

/* The communicator of a scope; MPI_COMM_NULL if the caller is not in it. The first call is
 * collective over the members of the scope. */
MPI_Comm armcii_team_scope_comm(struct team *team, enum team_scope scope);
/* The members of a scope; valid as long as the team. */
const struct scope *armcii_team_scope(struct team *team, enum team_scope scope);
/* The team rank of member i. */
static inline int armcii_scope_member(const struct scope *scope, int i)
{
    return scope->ranks ? scope->ranks[i] : i;
}

/* ---- binary tree over the members of a scope ---- */

/* World ranks; -1: none. */
struct tree_position {
    int root, up, left, right;
};

/* The caller's position in the tree of a scope; if the caller is not in the scope, all but the root
 * are -1. */
struct tree_position armcii_tree(struct team *team, enum team_scope scope);

/* The rank of a process in a scope's communicator; -1: not in the scope. */
int armcii_scope_rank(struct team *team, enum team_scope scope, int process);

#endif
