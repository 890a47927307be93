/* tree.c - binary trees and positions in scopes. */
#include "msg/tree.h"

#include <stdlib.h>

#include "base/error.h"
#include "team/world.h"

/* Process numbers of the scope's members; the caller frees them. */
static int *members(const struct team *team, enum team_scope scope, int *n)
{
    int *list = malloc((size_t)team->size * sizeof *list);
    if (!list) armcii_fatal("out of memory for a list of %d processes", team->size);
    *n = armcii_team_scope_members(team, scope, list);
    for (int i = 0; i < *n; i++) list[i] = team->to_world[list[i]];
    return list;
}

static int position(const int list[], int n, int process)
{
    for (int i = 0; i < n; i++)
        if (list[i] == process) return i;
    return -1;
}

struct tree_place armcii_tree(const struct team *team, enum team_scope scope)
{
    int n, *list = members(team, scope, &n);
    int me = position(list, n, armcii_world->rank);
    struct tree_place place = {list[0], -1, -1, -1};
    if (me > 0) place.up = list[(me - 1) / 2];
    if (me >= 0 && 2 * me + 1 < n) place.left = list[2 * me + 1];
    if (me >= 0 && 2 * me + 2 < n) place.right = list[2 * me + 2];
    free(list);
    return place;
}

int armcii_scope_rank(const struct team *team, enum team_scope scope, int process)
{
    int n, *list = members(team, scope, &n);
    int rank = position(list, n, process);
    free(list);
    return rank;
}
