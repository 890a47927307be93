/* team.c - teams, their rank translation and their scopes. */
#include "mpi/team.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/lock.h"
#include "mpi/coll.h"
#include "mpi/world.h"

/* Tags on the control communicator: of teams, then, up to MPI's largest (at least 32767), of creations.  Other messages there use smaller
 * ones. */

static struct team *teams; /* newest first; the world is last */
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
    for (int i = 0; i < t->size; i++)
        own[i] = i;
    MPI_Group_translate_ranks(mine, t->size, own, world, t->to_world);
    free(own);
    MPI_Group_free(&mine);
    MPI_Group_free(&world);
    for (int i = 0; i < armcii_world->size; i++)
        t->from_world[i] = -1;
    memset(t->on_node, 0, (size_t)armcii_world->size * sizeof(bool));
    for (int i = 0; i < t->size; i++) {
        t->from_world[t->to_world[i]] = i;
        t->on_node[armcii_world->node_of[t->to_world[i]]] = true;
    }
}

/* ---- allgather ----
 *
 * Bruck's algorithm: in round i each member sends what it has to the member 2^i ranks above, as in a dissemination barrier.  Open MPI's
 * nonblocking allgather sends to all members.  The messages use the control communicator, because the program may have posted a receive for
 * any message on the team's own, and tags that each sender chooses, because its threads may run collectives of several teams. */

static bool is_tag_used(int tag)
{
    struct team *t = teams;
    while (t && t->tag != tag)
        t = t->next;
    return t;
}

static int choose_tag(void)
{
    static int last = CONTROL_TEAM_LAST;
    for (int tries = CONTROL_TEAM_FIRST; tries <= CONTROL_TEAM_LAST; tries++) {
        last = last < CONTROL_TEAM_LAST ? last + 1 : CONTROL_TEAM_FIRST;
        if (!is_tag_used(last)) return last;
    }
    armcii_fatal("a process can be in %d groups", CONTROL_TEAM_LAST - CONTROL_TEAM_FIRST + 1);
}

/* Collective, while the program does not know the communicator yet. */
static void exchange_tags(struct team *t)
{
    t->tag = choose_tag();
    for (int i = 0, distance = 1; distance < t->size; i++, distance *= 2) {
        struct peer above = {(t->rank + distance) % t->size, 0}, below = {(t->rank - distance + t->size) % t->size, 0};
        armcii_coll_sendrecv(&t->tag, above, &t->peer_tag[i], below, (int)sizeof t->tag, t->comm);
    }
    t->root_tag = t->tag;
    armcii_coll_bcast(&t->root_tag, (int)sizeof t->root_tag, 0, t->comm);
}

void armcii_team_allgather(const struct team *t, const void *mine, void *all, int bytes)
{
    size_t item = (size_t)bytes, first = (size_t)(t->rank + 1) * item, size = (size_t)t->size * item;
    char *items = allocate(size); /* of the next member, the one after it, ..., the caller: collected from the end */
    memcpy(items + size - item, mine, item);
    for (int i = 0, n = 1; n < t->size; i++, n *= 2) {
        int above = (t->rank + n) % t->size, below = (t->rank - n + t->size) % t->size, missing = t->size - n;
        struct peer to = {t->to_world[above], t->tag}, from = {t->to_world[below], t->peer_tag[i]};
        size_t bytes_now = (size_t)(n < missing ? n : missing) * item;
        char *collected = items + size - (size_t)n * item;
        armcii_coll_sendrecv(items + size - bytes_now, to, collected - bytes_now, from, (int)bytes_now, armcii_world->control);
    }
    memcpy((char *)all + first, items, size - first);
    memcpy(all, items + size - first, first);
    free(items);
}

struct team *armcii_team_adopt(MPI_Comm comm)
{
    struct team *t = allocate(sizeof *t);
    *t = (struct team){.comm = comm, .open = true, .users = 1};
    MPI_Comm_rank(comm, &t->rank);
    MPI_Comm_size(comm, &t->size);
    t->to_world = allocate((size_t)t->size * sizeof(int));
    t->from_world = allocate((size_t)armcii_world->size * sizeof(int));
    t->on_node = allocate((size_t)armcii_world->size * sizeof(bool));
    translate_ranks(t);
    for (int scope = 0; scope < TEAM_SCOPES; scope++)
        t->scopes[scope] = (struct scope){.comm = MPI_COMM_NULL};
    t->scopes[TEAM_ALL] = (struct scope){.n = t->size, .comm = comm};
    exchange_tags(t);
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
    armcii_lock_enter();
    struct team *t = teams;
    while (t && (t->comm != comm || !t->open))
        t = t->next;
    armcii_lock_exit();
    return t;
}

static int largest_tag(void)
{
    int *largest, found;
    MPI_Comm_get_attr(armcii_world->control, MPI_TAG_UB, &largest, &found);
    return found ? *largest : (1 << 15) - 1;
}

/* Several threads may create groups and scopes at once, so the tag is a hash of the members, in world ranks, and of the scope's team. */
static int tag_of(int n, const int members[], const struct team *team, enum team_scope scope)
{
    const unsigned prime = 16777619;
    unsigned hash = 2166136261u;
    for (int i = 0; i < n; i++)
        hash = (hash ^ (unsigned)members[i]) * prime;
    if (scope != TEAM_ALL) hash = (((hash ^ (unsigned)team->to_world[0]) * prime ^ (unsigned)team->root_tag) * prime ^ scope) * prime;
    return CONTROL_CREATE_FIRST + (int)(hash % (unsigned)(largest_tag() - CONTROL_CREATE_FIRST + 1));
}

/* A communicator of n members of a team: of a scope, or of a new group (TEAM_ALL).  Collective over these members.  Not created from the
 * team's own communicator: Open MPI sends messages there that a receive of the program for any message would take. */
static MPI_Comm create_comm(const struct team *team, int n, const int ranks[], enum team_scope scope)
{
    MPI_Group all, some;
    MPI_Comm comm;
    int *members = allocate((size_t)n * sizeof *members);
    for (int i = 0; i < n; i++)
        members[i] = team->to_world[ranks[i]];
    MPI_Comm_group(armcii_world->control, &all);
    MPI_Group_incl(all, n, members, &some);
    unsigned entries = armcii_lock_suspend();
    MPI_Comm_create_group(armcii_world->control, some, tag_of(n, members, team, scope), &comm);
    armcii_lock_resume(entries);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    free(members);
    return comm;
}

static void destroy(struct team *t)
{
    struct team **link = &teams;
    while (*link != t)
        link = &(*link)->next;
    *link = t->next;
    if (t->memory) t->free_memory(t->memory);
    unsigned entries = armcii_lock_suspend();
    for (int scope = TEAM_ALL + 1; scope < TEAM_SCOPES; scope++) {
        if (t->scopes[scope].comm != MPI_COMM_NULL) MPI_Comm_free(&t->scopes[scope].comm);
        free(t->scopes[scope].ranks);
    }
    if (t->comm != armcii_world->comm) MPI_Comm_free(&t->comm);
    armcii_lock_resume(entries);
    free(t->to_world);
    free(t->from_world);
    free(t->on_node);
    free(t);
}

void armcii_team_free_all(void)
{
    while (teams)
        destroy(teams);
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

static int list_local(const struct team *team, enum team_scope scope, int ranks[])
{
    const struct world *w = armcii_world;
    int n = 0;
    for (int i = 0; i < team->size; i++) {
        int process = team->to_world[i];
        if (scope == TEAM_NODE ? armcii_world_is_on_node(process) : w->domain_of[process] == w->domain) ranks[n++] = i;
    }
    return n;
}

/* The first member in each domain. */
static int list_masters(const struct team *team, int ranks[])
{
    bool *is_listed = calloc((size_t)armcii_world->domains, sizeof *is_listed);
    int n = 0;
    if (!is_listed) armcii_fatal("out of memory for a table of %d nodes", armcii_world->domains);
    for (int i = 0; i < team->size; i++) {
        int node = armcii_world->domain_of[team->to_world[i]];
        if (!is_listed[node]) ranks[n++] = i;
        is_listed[node] = true;
    }
    free(is_listed);
    return n;
}

const struct scope *armcii_team_scope(struct team *team, enum team_scope scope)
{
    struct scope *s = &team->scopes[scope];
    armcii_lock_enter();
    if (s->n == 0) {
        s->ranks = allocate((size_t)team->size * sizeof *s->ranks);
        s->n = scope == TEAM_MASTERS ? list_masters(team, s->ranks) : list_local(team, scope, s->ranks);
    }
    armcii_lock_exit();
    return s;
}

/* The position of a team rank among the members of a scope; -1: not a member. */
static int position_of(const struct scope *scope, int rank)
{
    int low = 0, high = scope->n;
    if (!scope->ranks) return rank < scope->n ? rank : -1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (scope->ranks[middle] < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < scope->n && scope->ranks[low] == rank ? low : -1;
}

MPI_Comm armcii_team_scope_comm(struct team *team, enum team_scope scope)
{
    armcii_team_scope(team, scope);
    struct scope *s = &team->scopes[scope];
    armcii_lock_enter();
    if (s->comm == MPI_COMM_NULL && position_of(s, team->rank) >= 0) s->comm = create_comm(team, s->n, s->ranks, scope);
    MPI_Comm comm = s->comm;
    armcii_lock_exit();
    return comm;
}

/* ---- creation ---- */

struct team *armcii_team_create_by_members(const struct team *parent, int n, const int ranks[])
{
    return armcii_team_adopt(create_comm(parent, n, ranks, TEAM_ALL));
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

/* ---- binary tree over the members of a scope ---- */

/* The world rank of the i-th member of a scope. */
static int process_of(const struct team *team, const struct scope *s, int i)
{
    return team->to_world[armcii_scope_member(s, i)];
}

struct tree_position armcii_tree(struct team *team, enum team_scope scope)
{
    const struct scope *s = armcii_team_scope(team, scope);
    int me = position_of(s, team->rank);
    struct tree_position position = {process_of(team, s, 0), -1, -1, -1};
    if (me > 0) position.up = process_of(team, s, (me - 1) / 2);
    if (me >= 0 && 2 * me + 1 < s->n) position.left = process_of(team, s, 2 * me + 1);
    if (me >= 0 && 2 * me + 2 < s->n) position.right = process_of(team, s, 2 * me + 2);
    return position;
}

int armcii_scope_rank(struct team *team, enum team_scope scope, int process)
{
    int rank = process >= 0 && process < armcii_world->size ? team->from_world[process] : -1;
    return rank < 0 ? -1 : position_of(armcii_team_scope(team, scope), rank);
}
