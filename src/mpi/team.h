/* team.h - groups of processes: the state behind an ARMCI_Group. */
#ifndef ARMCII_TEAM_H
#define ARMCII_TEAM_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* The first three are SCOPE_ALL, SCOPE_NODE and SCOPE_MASTERS; TEAM_NODE are the members that share the caller's memory, whatever the
 * nodes are said to be. */
enum team_scope { TEAM_ALL, TEAM_DOMAIN, TEAM_MASTERS, TEAM_NODE, TEAM_SCOPES };

/* Who is in a scope. */
struct scope {
    int n;         /* members; 0: not yet looked for */
    int *ranks;    /* [n], in the team, ascending; NULL in TEAM_ALL: all ranks */
    MPI_Comm comm; /* made when first asked for; never where the caller is not in the scope */
};

struct team {
    MPI_Comm comm;   /* ranks are ranks in the team */
    int rank, size;
    int *to_world;   /* [size] */
    int *from_world; /* [world size], -1: no member */
    bool *on_node;   /* [world size]: has it a member on the node of that name? */
    struct scope scopes[TEAM_SCOPES];
    bool open;       /* not yet freed by the program */
    int users;       /* regions and the group itself: freed with the last */
    size_t credit;   /* bytes that its regions may still take before the nodes' memory is looked at again */
    struct team *next;
};

/* All of this takes the global lock where it needs it.  Functions that are collective release it while they wait. */

/* The team of all processes; between create and free of the world. */
struct team *armcii_team_world(void);
void armcii_team_create_world(void);
/* Frees all teams that are left. */
void armcii_team_free_all(void);

/* A team of the n processes that have the given ranks in the parent, in that order; called by its members only.  The caller's own
 * rank must be among them.  Threads may do so at once, with different lists. */
struct team *armcii_team_create_by_members(const struct team *parent, int n, const int ranks[]);
/* The same, called by all of the parent; NULL where the caller is no member. */
struct team *armcii_team_create_by_all(const struct team *parent, int n, const int ranks[]);
/* From a communicator whose members are all in the world; the team owns it from now on. */
struct team *armcii_team_adopt(MPI_Comm comm);

/* The team with that communicator, not yet closed; NULL if there is none. */
struct team *armcii_team_find(MPI_Comm comm);
/* One user more, one less; the last one frees.  Collective for the communicator's sake: every member does the same. */
void armcii_team_hold(struct team *team);
void armcii_team_release(struct team *team);
/* The program frees the group: it cannot be found any more, and lives on only for regions made on it. */
void armcii_team_close(struct team *team);

/* Has the team a member on the node, a rank of armcii_world->node_of? */
static inline bool armcii_team_is_on_node(const struct team *team, int node)
{
    return team->on_node[node];
}

/* The communicator of a scope: the whole team, its members on the caller's node, the first member on each node.  MPI_COMM_NULL where the
 * caller is not in the scope.  The first call for a scope is collective over that scope's members. */
MPI_Comm armcii_team_scope_comm(struct team *team, enum team_scope scope);
/* The members of that scope, looked for by the first call; valid as long as the team. */
const struct scope *armcii_team_scope(struct team *team, enum team_scope scope);
/* Team rank of member i, and the position of a team rank among the members, -1: it is none. */
static inline int armcii_scope_member(const struct scope *scope, int i)
{
    return scope->ranks ? scope->ranks[i] : i;
}
int armcii_scope_position(const struct scope *scope, int rank);

#endif
