/* team.c - teams, their rank translation and their scopes. */
#include "mpi/team.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/lock.h"
#include "mpi/coll.h"
#include "mpi/errors.h"
#include "mpi/world.h"

/* Tags on the control communicator: of teams, then, up to MPI's largest (at least 32767), of
 * creations. Other messages there use smaller ones. */

static struct {
    struct team *newest; /* the world is last */
    struct team *world;
    int last_tag;
    unsigned last_number;
} teams = {.last_tag = CONTROL_TEAM_LAST};

static void *allocate(size_t bytes)
{
    void *p = malloc(bytes);
    if (!p) armcii_fatal("out of memory for a group");
    return p;
}

/* Without its communicator. to_world becomes the team's, unless it is the world's. */
static struct team *new_team(int rank, int size, int *to_world)
{
    struct team *t = allocate(sizeof *t);
    *t = (struct team){.comm = MPI_COMM_NULL,
                       .rank = rank,
                       .size = size,
                       .number = ++teams.last_number,
                       .to_world = to_world,
                       .open = true,
                       .users = 1};
    for (int scope = 0; scope < TEAM_SCOPES; scope++)
        t->scopes[scope] = (struct scope){.comm = MPI_COMM_NULL};
    return t;
}

static void free_team(struct team *t)
{
    if (t->to_world != armcii_world->identity) free(t->to_world);
    free(t->ascending);
    free(t->nodes);
    free(t);
}

/* The world ranks of the members of a communicator; to be freed, unless it is the world's. */
static int *translate_ranks(MPI_Comm comm, int size)
{
    MPI_Group mine, world;
    if (comm == armcii_world->comm) return armcii_world->identity;
    int *to_world = allocate((size_t)size * sizeof *to_world);
    MPI_Comm_group(comm, &mine);
    MPI_Comm_group(armcii_world->comm, &world);
    int *own = allocate((size_t)size * sizeof *own);
    for (int i = 0; i < size; i++)
        own[i] = i;
    MPI_Group_translate_ranks(mine, size, own, world, to_world);
    free(own);
    MPI_Group_free(&mine);
    MPI_Group_free(&world);
    return to_world;
}

/* ---- members ----
 *
 * A team has no table over the world: 4 bytes a member, 8 where the members do not ascend. */

struct member {
    int process, rank;
};

static int compare_members(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    return (a->process > b->process) - (a->process < b->process);
}

static bool ascends(const struct team *t)
{
    int i = 1;
    while (i < t->size && t->to_world[i - 1] < t->to_world[i])
        i++;
    return i >= t->size;
}

static void sort_members(struct team *t)
{
    if (ascends(t)) return;
    struct member *members = allocate((size_t)t->size * sizeof *members);
    for (int i = 0; i < t->size; i++)
        members[i] = (struct member){t->to_world[i], i};
    qsort(members, (size_t)t->size, sizeof *members, compare_members);
    t->ascending = allocate((size_t)t->size * sizeof *t->ascending);
    for (int i = 0; i < t->size; i++)
        t->ascending[i] = members[i].rank;
    free(members);
}

int armcii_team_rank(const struct team *t, int process)
{
    int low = 0, high = t->size - 1;
    if (process < t->size && t->to_world[process] == process) return process;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (t->to_world[t->ascending ? t->ascending[middle] : middle] < process)
            low = middle + 1;
        else
            high = middle;
    }
    int rank = t->ascending ? t->ascending[low] : low;
    return t->to_world[rank] == process ? rank : -1;
}

enum { WORD = 64 };

static void mark_nodes(struct team *t)
{
    size_t words = ((size_t)armcii_world->nodes + WORD - 1) / WORD;
    if (t->to_world == armcii_world->identity) return;
    t->nodes = armcii_alloc(words, sizeof *t->nodes, "a group");
    for (int i = 0; i < t->size; i++) {
        int node = armcii_world_node_number(armcii_world->node_of[t->to_world[i]]);
        t->nodes[node / WORD] |= (uint64_t)1 << node % WORD;
    }
}

bool armcii_team_is_on_node(const struct team *t, int node)
{
    int number = armcii_world_node_number(node);
    return !t->nodes || t->nodes[number / WORD] >> number % WORD & 1;
}

/* Complete: its members have exchanged tags. */
static struct team *add(struct team *t, MPI_Comm comm)
{
    t->comm = comm;
    t->scopes[TEAM_ALL] = (struct scope){.n = t->size, .comm = comm};
    sort_members(t);
    mark_nodes(t);
    t->next = teams.newest;
    teams.newest = t;
    return t;
}

/* ---- tags ----
 *
 * Collectives of own messages use the control communicator, because the program may have posted a
 * receive for any message on the team's own, and tags that each sender chooses, because its threads
 * may run collectives of several teams. */

static bool is_tag_used(int tag)
{
    struct team *t = teams.newest;
    while (t && t->tag != tag)
        t = t->next;
    return t;
}

static int choose_tag(void)
{
    for (int tries = CONTROL_TEAM_FIRST; tries <= CONTROL_TEAM_LAST; tries++) {
        teams.last_tag =
            teams.last_tag < CONTROL_TEAM_LAST ? teams.last_tag + 1 : CONTROL_TEAM_FIRST;
        if (!is_tag_used(teams.last_tag)) return teams.last_tag;
    }
    armcii_fatal("a process can be in %d groups", CONTROL_TEAM_LAST - CONTROL_TEAM_FIRST + 1);
}

/* Collective over the members, whose ranks in comm are process[], or the same if that is NULL. As
 * in a dissemination barrier, what a member knows after the last round depends on all of them, so
 * the tag of the first reaches all. */
static void exchange_tags(struct team *t, MPI_Comm comm, const int process[], int tag)
{
    struct {
        int own, root; /* root 0: not yet known */
    } mine, theirs;
    t->tag = mine.own = choose_tag();
    mine.root = t->rank == 0 ? t->tag : 0;
    for (int i = 0, distance = 1; distance < t->size; i++, distance *= 2) {
        int above = (t->rank + distance) % t->size,
            below = (t->rank - distance + t->size) % t->size;
        struct peer to = {process ? process[above] : above, tag},
                    from = {process ? process[below] : below, tag};
        armcii_coll_sendrecv(&mine, to, &theirs, from, (int)sizeof mine, comm);
        t->peer_tag[i] = theirs.own;
        if (theirs.root) mine.root = theirs.root;
    }
    t->root_tag = mine.root;
}

/* Takes the communicator over. Collective; all its processes are in the world. The program does
 * not know it yet, so it sends and receives no messages there. */
static struct team *adopt(MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    struct team *t = new_team(rank, size, translate_ranks(comm, size));
    exchange_tags(t, comm, NULL, 0);
    return add(t, comm);
}

void armcii_team_create_world(void)
{
    teams.world = adopt(armcii_world->comm);
    teams.world->number = 0;
}

struct team *armcii_team_world(void)
{
    return teams.world;
}

struct team *armcii_team_find(MPI_Comm comm, unsigned number)
{
    armcii_lock_enter();
    struct team *t = teams.newest;
    while (t && (t->comm != comm || t->number != number || !t->open))
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

/* Several threads may create groups and scopes at once, so the tag is a hash of the members, in
 * world ranks, and of the scope's team. */
static int tag_of(int n, const int members[], const struct team *team, enum team_scope scope)
{
    const unsigned prime = 16777619;
    unsigned hash = 2166136261u;
    for (int i = 0; i < n; i++)
        hash = (hash ^ (unsigned)members[i]) * prime;
    if (scope != TEAM_ALL)
        hash = (((hash ^ (unsigned)team->to_world[0]) * prime ^ (unsigned)team->root_tag) * prime ^
                scope) *
               prime;
    return CONTROL_CREATE_FIRST +
           (int)(hash % (unsigned)(largest_tag() - CONTROL_CREATE_FIRST + 1));
}

/* True if `mine` is true on all of these n members, in world ranks. As in a dissemination barrier,
 * what a member knows after the last round depends on all of them. */
static bool is_true_on(int n, const int members[], int tag, bool mine)
{
    int all = mine, theirs, me = 0;
    while (members[me] != armcii_world->rank)
        me++;
    for (int distance = 1; distance < n; distance *= 2) {
        struct peer above = {members[(me + distance) % n], tag},
                    below = {members[(me - distance + n) % n], tag};
        armcii_coll_sendrecv(&all, above, &theirs, below, (int)sizeof all, armcii_world->control);
        all = all && theirs;
    }
    return all;
}

/* The communicator of n members, in world ranks, of a scope or of a new group. Collective over
 * these members. MPI_COMM_NULL on all of them if MPI refuses it to one; the others keep theirs,
 * because freeing it is collective. Not created from the team's own communicator: Open MPI sends
 * messages there that a receive of the program for any message would take. */
static MPI_Comm create_comm(int n, const int members[], int tag)
{
    MPI_Comm comm;
    armcii_errors_ask_here(true);
    int code = armcii_coll_create(armcii_world->control, n, members, tag, &comm);
    armcii_errors_ask_here(false);
    return is_true_on(n, members, tag, armcii_errors_is_made(code, comm)) ? comm : MPI_COMM_NULL;
}

static MPI_Comm create_scope_comm(const struct team *team, const struct scope *s,
                                  enum team_scope scope)
{
    int *members = allocate((size_t)s->n * sizeof *members);
    for (int i = 0; i < s->n; i++)
        members[i] = team->to_world[s->ranks[i]];
    MPI_Comm comm = create_comm(s->n, members, tag_of(s->n, members, team, scope));
    if (comm == MPI_COMM_NULL)
        armcii_fatal("MPI refuses a communicator for the %d processes of a scope", s->n);
    free(members);
    return comm;
}

static void destroy(struct team *t)
{
    struct team **link = &teams.newest;
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
    free_team(t);
}

void armcii_team_free_all(void)
{
    while (teams.newest)
        destroy(teams.newest);
    teams.world = NULL;
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
        if (scope == TEAM_NODE ? armcii_world_is_on_node(process)
                               : w->domain_of[process] == w->domain)
            ranks[n++] = i;
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
        s->n = scope == TEAM_MASTERS ? list_masters(team, s->ranks)
                                     : list_local(team, scope, s->ranks);
        int *fewer = realloc(s->ranks, (size_t)s->n * sizeof *fewer);
        if (fewer) s->ranks = fewer;
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
    if (s->comm == MPI_COMM_NULL && position_of(s, team->rank) >= 0)
        s->comm = create_scope_comm(team, s, scope);
    MPI_Comm comm = s->comm;
    armcii_lock_exit();
    return comm;
}

/* ---- creation ---- */

/* In MPI's call a process makes no progress. The members exchange tags before: afterwards all are
 * there. */
bool armcii_team_create_by_members(const struct team *parent, int n, const int ranks[],
                                   struct team **team)
{
    int rank = 0;
    while (ranks[rank] != parent->rank)
        rank++;
    int *to_world = allocate((size_t)n * sizeof *to_world);
    for (int i = 0; i < n; i++)
        to_world[i] = parent->to_world[ranks[i]];
    struct team *t = new_team(rank, n, to_world);
    int tag = tag_of(n, t->to_world, t, TEAM_ALL);
    exchange_tags(t, armcii_world->control, t->to_world, tag);
    MPI_Comm comm = create_comm(n, t->to_world, tag);
    if (comm == MPI_COMM_NULL) {
        free_team(t);
        return false;
    }
    *team = add(t, comm);
    return true;
}

/* Collective over the parent, whose error handler was `before`: the team of a communicator that was
 * created from it, if it was on all. */
static bool adopt_made(const struct team *parent, MPI_Errhandler before, int code, MPI_Comm comm,
                       struct team **team)
{
    armcii_errors_end(parent->comm, before);
    if (!armcii_coll_all(armcii_errors_is_made(code, comm), parent->comm)) return false;
    *team = comm == MPI_COMM_NULL ? NULL : adopt(comm);
    return true;
}

bool armcii_team_split(const struct team *parent, int color, int key, struct team **team)
{
    MPI_Comm comm;
    MPI_Errhandler before = armcii_errors_ask(parent->comm);
    int code = armcii_coll_split(parent->comm, color, key, &comm);
    return adopt_made(parent, before, code, comm, team);
}

bool armcii_team_dup(const struct team *parent, struct team **team)
{
    MPI_Comm comm;
    MPI_Errhandler before = armcii_errors_ask(parent->comm);
    int code = armcii_coll_dup(parent->comm, &comm);
    return adopt_made(parent, before, code, comm, team);
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
    int rank = process >= 0 && process < armcii_world->size ? armcii_team_rank(team, process) : -1;
    return rank < 0 ? -1 : position_of(armcii_team_scope(team, scope), rank);
}
