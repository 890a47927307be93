/* team_memory.c - what a team has in the arena. */
#include "node/team_memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "base/log.h"
#include "base/pool.h"
#include "mpi/coll.h"
#include "mpi/world.h"
#include "node/arena.h"
#include "node/node.h"
#include "node/reserve.h"

/* A value that one process passes to another on its node.  The number of the agreement is written
 * last. */
struct cell {
    _Alignas(64) atomic_uint number;
    int64_t word[AGREE_WORDS];
};

/* A tree over the members on a node: values go up to the first of them, the result comes down.  A
 * process runs twice, however many there are, which counts where they outnumber the processors.
 * Agreements use two sets of cells in turn: nobody begins the next but one before all have finished
 * this one. */
enum { CHILDREN = 4, SETS = 2 };
struct cells {
    struct cell child[SETS][CHILDREN];
    struct cell result[SETS];
};

/* What a team has of a part of the arena. */
struct space {
    struct pool pool;
    struct extent *extents;
    size_t units; /* in all extents */
};

struct team_memory {
    struct space space[ARENA_PARTS];
    bool has_cells;
    size_t cells;                    /* offset of struct cells */
    unsigned agreements;             /* number of the last one */
    int local_rank;                  /* of the caller among the members on its node */
    int node, nodes;                 /* the caller's node, and the number of nodes with members */
    int most_on_node;                /* members on the node that has most */
    size_t local_ranks;              /* of the members: the highest + 1 */
    int *leaders;                    /* [nodes]: world ranks of their first members */
    int leader_tag[8 * sizeof(int)]; /* [i]: of messages from the leader 2^i nodes below */
};

/* ---- units ---- */

static void free_space(struct team_memory *m, enum arena_part part)
{
    struct space *space = &m->space[part];
    while (space->extents) {
        struct extent *e = space->extents;
        space->extents = e->next;
        if (part == ARENA_SLOTS || m->local_rank == 0)
            armcii_arena_release(part, e->offset, e->bytes / armcii_arena_unit(part));
        free(e);
    }
    armcii_pool_clear(&space->pool);
}

static void free_memory(struct team_memory *m)
{
    free_space(m, ARENA_SLOTS);
    free_space(m, ARENA_ZONE);
    free(m->leaders);
    free(m);
}

enum { LINE = 64, PAGE = 4096, HUGE_PAGE = 2 << 20 }; /* bytes */

/* Acquire as many units as the team has, so that their number grows in few steps; at least
 * `least`.  The first line of an extent of the slots stays free, so that no allocation lies in two
 * of them. */
static bool add_extent(struct team *team, enum arena_part part, size_t least)
{
    struct space *space = &team->memory->space[part];
    size_t units = space->units > least ? space->units : least,
           offset = armcii_arena_acquire(team, part, units), gap = part == ARENA_SLOTS ? LINE : 0;
    if (offset == SIZE_MAX) offset = armcii_arena_acquire(team, part, units = least);
    if (offset == SIZE_MAX) return false;
    struct extent *e = armcii_alloc(1, sizeof *e, "an extent");
    *e = (struct extent){
        .offset = offset, .bytes = units * armcii_arena_unit(part), .next = space->extents};
    space->extents = e;
    space->units += units;
    armcii_pool_free(&space->pool, offset + gap, e->bytes - gap);
    return true;
}

/* ---- agreement ---- */

static struct cells *cells_of(const struct team *team, int process)
{
    return (struct cells *)(void *)armcii_arena_address(process, team->memory->cells,
                                                        armcii_arena->slot);
}

static void pass(struct cell *cell, unsigned number, const int64_t word[])
{
    memcpy(cell->word, word, sizeof cell->word);
    atomic_store_explicit(&cell->number, number, memory_order_release);
}

static void await(struct cell *cell, unsigned number)
{
    struct backoff b = {0};
    while (atomic_load_explicit(&cell->number, memory_order_acquire) != number)
        if (armcii_backoff_yield(&b)) armcii_backoff.progress();
}

static void maximize(int64_t largest[], const int64_t word[])
{
    for (int i = 0; i < AGREE_WORDS; i++)
        if (word[i] > largest[i]) largest[i] = word[i];
}

/* The cells of the i-th member on the node. */
static struct cells *cells_here(struct team *team, int i)
{
    const struct scope *here = armcii_team_scope(team, TEAM_NODE);
    return cells_of(team, team->to_world[armcii_scope_member(here, i)]);
}

static int first_child(const struct team_memory *m)
{
    return CHILDREN * m->local_rank + 1;
}

/* A process waits at its own cells only, here and for the result, since the others may free the
 * team, and use the memory again, once they have the result. */
static void gather_on_node(struct team *team, int64_t largest[])
{
    const struct team_memory *m = team->memory;
    int here = armcii_team_scope(team, TEAM_NODE)->n, above = (m->local_rank - 1) / CHILDREN;
    unsigned set = m->agreements % SETS;
    for (int i = 0; i < CHILDREN && first_child(m) + i < here; i++) {
        struct cell *own = &cells_here(team, m->local_rank)->child[set][i];
        await(own, m->agreements);
        maximize(largest, own->word);
    }
    if (m->local_rank > 0)
        pass(&cells_here(team, above)->child[set][(m->local_rank - 1) % CHILDREN], m->agreements,
             largest);
}

static void agree_between_nodes(struct team *team, int64_t largest[])
{
    const struct team_memory *m = team->memory;
    for (int i = 0, distance = 1; distance < m->nodes; i++, distance *= 2) {
        int64_t word[AGREE_WORDS];
        struct peer to = {m->leaders[(m->node + distance) % m->nodes], team->tag};
        struct peer from = {m->leaders[(m->node - distance + m->nodes) % m->nodes],
                            m->leader_tag[i]};
        armcii_coll_sendrecv(largest, to, word, from, (int)sizeof word, armcii_world->control);
        maximize(largest, word);
    }
}

static void distribute_on_node(struct team *team, int64_t largest[])
{
    const struct team_memory *m = team->memory;
    int here = armcii_team_scope(team, TEAM_NODE)->n;
    unsigned set = m->agreements % SETS;
    if (m->local_rank > 0) {
        struct cell *own = &cells_here(team, m->local_rank)->result[set];
        await(own, m->agreements);
        memcpy(largest, own->word, sizeof own->word);
    }
    for (int i = 0; i < CHILDREN && first_child(m) + i < here; i++)
        pass(&cells_here(team, first_child(m) + i)->result[set], m->agreements, largest);
}

/* One after the other: what the members of a node know goes up, is exchanged between the nodes, and
 * comes down. */
static void agree_in_arena(struct team *team, int64_t largest[],
                           void (*exchange)(struct team *, int64_t *))
{
    struct team_memory *m = team->memory;
    unsigned entries = armcii_lock_suspend();
    m->agreements++;
    gather_on_node(team, largest);
    if (m->local_rank == 0) exchange(team, largest);
    distribute_on_node(team, largest);
    armcii_lock_resume(entries);
}

void armcii_agree(struct team *team, const int64_t mine[], int64_t largest[], int n)
{
    int64_t word[AGREE_WORDS] = {0};
    if (!team->memory || !team->memory->has_cells) {
        armcii_coll_allreduce(mine, largest, n, MPI_INT64_T, MPI_MAX, team->comm);
        return;
    }
    memcpy(word, mine, (size_t)n * sizeof word[0]);
    agree_in_arena(team, word, agree_between_nodes);
    memcpy(largest, word, (size_t)n * sizeof word[0]);
}

/* ---- creation ---- */

/* The first members of the nodes, in the order of their ranks, and the tags of those that send to
 * the caller. */
static void list_leaders(const struct team *team, struct team_memory *m)
{
    int n = team->size, *tags = armcii_alloc((size_t)n, sizeof *tags, "tables of %d processes", n);
    int *on_node = armcii_alloc((size_t)armcii_world->nodes, sizeof *on_node, "tables of %d nodes",
                                armcii_world->nodes);
    armcii_team_allgather(team, &team->tag, tags, (int)sizeof tags[0]);
    m->leaders = armcii_alloc((size_t)n, sizeof *m->leaders, "tables of %d processes", n);
    for (int i = 0; i < n; i++) {
        int process = team->to_world[i],
            node = armcii_world_node_number(armcii_world->node_of[process]);
        bool here = armcii_world_is_on_node(process);
        size_t local_rank = (size_t)armcii_world->local_rank_of[process];
        if (local_rank >= m->local_ranks) m->local_ranks = local_rank + 1;
        if (here && i < team->rank) m->local_rank++;
        if (++on_node[node] > m->most_on_node) m->most_on_node = on_node[node];
        if (on_node[node] > 1) continue;
        if (here) m->node = m->nodes;
        m->leaders[m->nodes++] = process;
    }
    for (int i = 0, distance = 1; distance < m->nodes; i++, distance *= 2)
        m->leader_tag[i] =
            tags[armcii_team_rank(team, m->leaders[(m->node - distance + m->nodes) % m->nodes])];
    int *fewer = realloc(m->leaders, (size_t)m->nodes * sizeof *fewer);
    if (fewer) m->leaders = fewer;
    free(on_node);
    free(tags);
}

/* Another team may have used the memory before, so the cells are cleared before anybody passes a
 * value.  Without an extent at first, the team has no cells later. */
static void create_memory(struct team *team)
{
    struct team_memory *m = team->memory = armcii_alloc(1, sizeof *m, "the memory of a group");
    team->free_memory = free_memory;
    list_leaders(team, m);
    if (!add_extent(team, ARENA_SLOTS, 1)) return;
    m->cells = armcii_pool_alloc(&m->space[ARENA_SLOTS].pool, sizeof(struct cells),
                                 _Alignof(struct cells));
    memset(cells_of(team, armcii_world->rank), 0, sizeof(struct cells));
    armcii_coll_barrier(team->comm);
    m->has_cells = true;
}

/* ---- allocation ---- */

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static size_t alignment_of(size_t bytes)
{
    if (bytes >= ZONE_MIN_SLICE) return HUGE_PAGE;
    return bytes < PAGE ? LINE : PAGE;
}

static size_t rounded(size_t bytes)
{
    return round_up(bytes, alignment_of(bytes));
}

static struct extent *find_extent(const struct space *space, size_t offset)
{
    struct extent *e = space->extents;
    while (offset - e->offset >= e->bytes)
        e = e->next;
    return e;
}

static enum arena_part part_of(size_t bytes)
{
    return bytes >= ZONE_MIN_SLICE ? ARENA_ZONE : ARENA_SLOTS;
}

/* Bytes of the part that slices of at most `bytes` bytes take; 0: more than there are. */
static size_t span_of(const struct team *team, size_t bytes)
{
    size_t n = team->memory->local_ranks;
    if (part_of(bytes) == ARENA_SLOTS) return rounded(bytes);
    return bytes < armcii_arena->zone / n ? rounded(bytes) * n : 0;
}

static size_t allocate(struct team *team, enum arena_part part, size_t bytes, size_t alignment)
{
    struct pool *pool = &team->memory->space[part].pool;
    size_t unit = armcii_arena_unit(part), offset = armcii_pool_alloc(pool, bytes, alignment);
    if (offset == POOL_FULL && add_extent(team, part, (bytes + unit - 1) / unit))
        offset = armcii_pool_alloc(pool, bytes, alignment);
    return offset;
}

bool armcii_team_memory_alloc(struct team *team, size_t bytes, struct placement *place)
{
    if (!team->memory) create_memory(team);
    enum arena_part part = part_of(bytes);
    size_t span = span_of(team, bytes);
    size_t offset = span > 0 ? allocate(team, part, span, alignment_of(bytes)) : POOL_FULL;
    if (offset == POOL_FULL) return false;
    *place = (struct placement){
        .offset = offset,
        .span = span,
        .stride = part == ARENA_ZONE ? rounded(bytes) : armcii_arena->slot,
        .extent = part == ARENA_SLOTS ? find_extent(&team->memory->space[part], offset) : NULL};
    return true;
}

void armcii_team_memory_free(struct team *team, const struct placement *place)
{
    if (!place->extent) armcii_arena_drop(team, place->offset, place->span);
    armcii_pool_free(&team->memory->space[place->extent ? ARENA_SLOTS : ARENA_ZONE].pool,
                     place->offset, place->span);
}

/* ---- tables ---- */

static size_t *table_at(const struct team *team, size_t offset)
{
    const struct scope *here = &team->scopes[TEAM_NODE];
    return (size_t *)(void *)armcii_arena_address(team->to_world[armcii_scope_member(here, 0)],
                                                  offset, armcii_arena->slot);
}

static size_t table_bytes(const struct team *team)
{
    return rounded((size_t)team->size * sizeof(size_t));
}

/* The entries of one node after the other, from the caller's node down, as they arrive. */
struct blocks {
    size_t *entry;
    int size; /* entries of each node; the last ones are unused where it has fewer members */
};

/* To or from the table.  Nodes are numbered as m->leaders, in the order of their first members. */
static void copy_blocks(const struct team *team, struct blocks blocks, size_t table[],
                        bool own_to_blocks)
{
    const struct team_memory *m = team->memory;
    int *number = armcii_alloc((size_t)armcii_world->nodes, sizeof *number, "tables of %d nodes",
                               armcii_world->nodes),
        *entries = armcii_alloc((size_t)m->nodes, sizeof *entries, "tables of %d nodes", m->nodes),
        nodes = 0;
    for (int i = 0; i < team->size; i++) {
        int *node = &number[armcii_world_node_number(armcii_world->node_of[team->to_world[i]])];
        if (*node == 0) *node = ++nodes; /* from 1 on */
        int block = (m->node - (*node - 1) + m->nodes) % m->nodes;
        size_t *entry =
            &blocks.entry[(size_t)block * (size_t)blocks.size + (size_t)entries[block]++];
        if (own_to_blocks && block == 0)
            *entry = table[i];
        else if (!own_to_blocks && block != 0)
            table[i] = *entry;
    }
    free(number);
    free(entries);
}

/* Each round doubles the number of nodes whose entries a leader has. */
static void exchange_blocks(const struct team *team, struct blocks blocks)
{
    const struct team_memory *m = team->memory;
    for (int i = 0, have = 1; have < m->nodes; i++, have *= 2) {
        size_t n = (size_t)(have < m->nodes - have ? have : m->nodes - have) * (size_t)blocks.size;
        struct peer to = {m->leaders[(m->node + have) % m->nodes], team->tag};
        struct peer from = {m->leaders[(m->node - have + m->nodes) % m->nodes], m->leader_tag[i]};
        armcii_coll_sendrecv(blocks.entry, to, blocks.entry + (size_t)have * (size_t)blocks.size,
                             from, (int)(n * sizeof(size_t)), armcii_world->control);
    }
}

/* offset: of the table. */
static void share_between_nodes(struct team *team, int64_t offset[])
{
    const struct team_memory *m = team->memory;
    if (m->nodes == 1) return;
    size_t *table = table_at(team, (size_t)offset[0]), n = (size_t)m->nodes;
    struct blocks blocks = {.size = m->most_on_node};
    blocks.entry = armcii_alloc(n * (size_t)blocks.size, sizeof *blocks.entry,
                                "a table of %d processes", team->size);
    copy_blocks(team, blocks, table, true);
    exchange_blocks(team, blocks);
    copy_blocks(team, blocks, table, false);
    free(blocks.entry);
}

/* The first member of the node has the table in its slot. */
static void account_for_table(const struct team *team, size_t offset)
{
    if (team->memory->local_rank > 0) return;
    armcii_reservation_add(armcii_arena_unreserved(offset, table_bytes(team)));
    armcii_arena_set_reserved(offset, table_bytes(team));
}

size_t *armcii_team_share(struct team *team, size_t mine)
{
    if (armcii_arena->slot == 0) return NULL;
    if (!team->memory) create_memory(team);
    size_t bytes = table_bytes(team), offset = POOL_FULL;
    if (team->memory->has_cells && bytes < armcii_arena->slot)
        offset = allocate(team, ARENA_SLOTS, bytes, alignment_of(bytes));
    if (offset == POOL_FULL) return NULL;
    armcii_team_scope(team, TEAM_NODE);
    account_for_table(team, offset);
    size_t *table = table_at(team, offset);
    table[team->rank] = mine;
    agree_in_arena(team, (int64_t[AGREE_WORDS]){(int64_t)offset}, share_between_nodes);
    return table;
}

void armcii_team_unshare(struct team *team, const size_t *table)
{
    size_t first = (size_t)((const char *)table - (const char *)table_at(team, 0));
    armcii_pool_free(&team->memory->space[ARENA_SLOTS].pool, first, table_bytes(team));
}

size_t armcii_team_memory_on_node(const struct team *team, size_t bytes)
{
    return rounded(bytes) * (size_t)team->memory->most_on_node;
}
