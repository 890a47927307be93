/* tree.h - a binary tree over a list of processes. */
#ifndef ARMCII_TREE_H
#define ARMCII_TREE_H

#include "mpi/team.h"

/* Process numbers; -1 where there is none. */
struct tree_place {
    int root, up, left, right;
};

/* The caller's place in the tree over a team's scope; all -1 but the root where it is not in the scope. */
struct tree_place armcii_tree(struct team *team, enum team_scope scope);

/* The rank of a process in a scope's communicator; -1 where it is not in the scope. */
int armcii_scope_rank(struct team *team, enum team_scope scope, int process);

#endif
