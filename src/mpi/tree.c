/* tree.c - binary trees and positions in scopes. */
#include "mpi/tree.h"

#include "mpi/world.h"

/* The process number of the scope's i-th member. */
static int process_of(const struct team *team, const struct scope *s, int i)
{
    return team->to_world[armcii_scope_member(s, i)];
}

struct tree_place armcii_tree(struct team *team, enum team_scope scope)
{
    const struct scope *s = armcii_team_scope(team, scope);
    int me = armcii_scope_position(s, team->rank);
    struct tree_place place = {process_of(team, s, 0), -1, -1, -1};
    if (me > 0) place.up = process_of(team, s, (me - 1) / 2);
    if (me >= 0 && 2 * me + 1 < s->n) place.left = process_of(team, s, 2 * me + 1);
    if (me >= 0 && 2 * me + 2 < s->n) place.right = process_of(team, s, 2 * me + 2);
    return place;
}

int armcii_scope_rank(struct team *team, enum team_scope scope, int process)
{
    int rank = process >= 0 && process < armcii_world->size ? team->from_world[process] : -1;
    return rank < 0 ? -1 : armcii_scope_position(armcii_team_scope(team, scope), rank);
}
