/* team.c - the registry of teams and their rank translation. */
#include "team/team.h"

#include <stdlib.h>

#include "base/error.h"
#include "team/world.h"

static struct team *teams; /* newest first; the world is the last */
static struct team *world_team;

static void *allocate(size_t bytes)
{
    void *p = malloc(bytes);
    if (!p) armcii_fatal("out of memory for a group");
    return p;
}

static void translate_ranks(struct team *t)
{
    MPI_Group mine, world;
    MPI_Comm_group(t->comm, &mine);
    MPI_Comm_group(armcii_world->comm, &world);
    int *own = allocate((size_t)t->size * sizeof *own);
    for (int i = 0; i < t->size; i++) own[i] = i;
    MPI_Group_translate_ranks(mine, t->size, own, world, t->to_world);
    free(own);
    MPI_Group_free(&mine);
    MPI_Group_free(&world);
    for (int i = 0; i < armcii_world->size; i++) t->from_world[i] = -1;
    for (int i = 0; i < t->size; i++) t->from_world[t->to_world[i]] = i;
}

struct team *armcii_team_adopt(MPI_Comm comm)
{
    struct team *t = allocate(sizeof *t);
    t->comm = comm;
    MPI_Comm_rank(comm, &t->rank);
    MPI_Comm_size(comm, &t->size);
    t->to_world = allocate((size_t)t->size * sizeof(int));
    t->from_world = allocate((size_t)armcii_world->size * sizeof(int));
    translate_ranks(t);
    t->scope_comm[TEAM_ALL] = comm;
    t->scope_comm[TEAM_NODE] = t->scope_comm[TEAM_MASTERS] = t->scope_comm[TEAM_HOST] = MPI_COMM_NULL;
    t->open = true;
    t->users = 1;
    t->next = teams;
    teams = t;
    return t;
}

void armcii_team_create_world(void)
{
    world_team = armcii_team_adopt(armcii_world->comm);
}

struct team *armcii_team_world(void)
{
    return world_team;
}

struct team *armcii_team_find(MPI_Comm comm)
{
    for (struct team *t = teams; t; t = t->next)
        if (t->comm == comm && t->open) return t;
    return NULL;
}

static void destroy(struct team *t)
{
    struct team **link = &teams;
    while (*link != t) link = &(*link)->next;
    *link = t->next;
    for (int scope = TEAM_NODE; scope <= TEAM_HOST; scope++)
        if (t->scope_comm[scope] != MPI_COMM_NULL) MPI_Comm_free(&t->scope_comm[scope]);
    if (t->comm != armcii_world->comm) MPI_Comm_free(&t->comm);
    free(t->to_world);
    free(t->from_world);
    free(t);
}

void armcii_team_free_all(void)
{
    while (teams) destroy(teams);
    world_team = NULL;
}

void armcii_team_hold(struct team *team)
{
    team->users++;
}

void armcii_team_release(struct team *team)
{
    if (--team->users == 0) destroy(team);
}

void armcii_team_close(struct team *team)
{
    team->open = false;
    armcii_team_release(team);
}

int armcii_team_scope_members(const struct team *team, enum team_scope scope, int ranks[])
{
    const struct world *w = armcii_world;
    int n = 0;
    for (int i = 0; i < team->size; i++) {
        int node = w->node_of[team->to_world[i]];
        if (scope == TEAM_NODE && node != w->node) continue;
        if (scope == TEAM_HOST && w->host_of[team->to_world[i]] != w->host_of[w->rank]) continue;
        bool first_on_node = true;
        for (int j = 0; scope == TEAM_MASTERS && j < n && first_on_node; j++)
            first_on_node = w->node_of[team->to_world[ranks[j]]] != node;
        if (first_on_node) ranks[n++] = i;
    }
    return n;
}

static bool contains(const int ranks[], int n, int rank)
{
    for (int i = 0; i < n; i++)
        if (ranks[i] == rank) return true;
    return false;
}

MPI_Comm armcii_team_scope_comm(struct team *team, enum team_scope scope)
{
    if (team->scope_comm[scope] != MPI_COMM_NULL) return team->scope_comm[scope];
    int *ranks = allocate((size_t)team->size * sizeof *ranks);
    int n = armcii_team_scope_members(team, scope, ranks);
    if (contains(ranks, n, team->rank)) {
        enum { TAG = 11 };
        MPI_Group all, some;
        MPI_Comm_group(team->comm, &all);
        MPI_Group_incl(all, n, ranks, &some);
        MPI_Comm_create_group(team->comm, some, TAG + (int)scope, &team->scope_comm[scope]);
        MPI_Group_free(&some);
        MPI_Group_free(&all);
    }
    free(ranks);
    return team->scope_comm[scope];
}
