/* team_memory.c - what a team has in the arena. */
#include "node/team_memory.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/pool.h"
#include "mpi/coll.h"
#include "mpi/world.h"
#include "node/agree.h"
#include "node/arena.h"
#include "node/cpus.h"

/* What a team has of an area of the arena. */
struct space {
    struct pool pool;
    struct extent *extents;
    size_t units; /* in all extents */
};

struct team_memory {
    struct space space[ARENA_AREAS];
    struct agreement agreement;
};

/* ---- units ---- */

static void free_space(struct team_memory *m, enum arena_area area)
{
    struct space *space = &m->space[area];
    while (space->extents) {
        struct extent *e = space->extents;
        space->extents = e->next;
        if (area == ARENA_SLOTS || m->agreement.local_rank == 0)
            armcii_arena_release(area, e->offset, e->bytes / armcii_arena_unit(area));
        free(e);
    }
    armcii_pool_clear(&space->pool);
}

static void free_memory(struct team_memory *m)
{
    free_space(m, ARENA_SLOTS);
    free_space(m, ARENA_ZONE);
    free(m->agreement.leaders);
    free(m);
}

enum { LINE = 64, PAGE = 4096, HUGE_PAGE = 2 << 20 }; /* bytes */

/* Acquire as many units as the team has, so that their number grows in few steps; at least
 * `least`. The first line of an extent of the slots stays free, so that no allocation lies in two
 * of them. */
static bool add_extent(struct team *team, enum arena_area area, size_t least)
{
    struct space *space = &team->memory->space[area];
    size_t units = space->units > least ? space->units : least,
           offset = armcii_arena_acquire(team, area, units), gap = area == ARENA_SLOTS ? LINE : 0;
    if (offset == SIZE_MAX) offset = armcii_arena_acquire(team, area, units = least);
    if (offset == SIZE_MAX) return false;
    struct extent *e = armcii_alloc(1, sizeof *e, "an extent");
    *e = (struct extent){
        .offset = offset, .bytes = units * armcii_arena_unit(area), .next = space->extents};
    space->extents = e;
    space->units += units;
    armcii_pool_free(&space->pool, offset + gap, e->bytes - gap);
    return true;
}

/* Without an extent at first, the team has no cells later. */
static void create_memory(struct team *team)
{
    struct team_memory *m = team->memory = armcii_alloc(1, sizeof *m, "the memory of a group");
    team->free_memory = free_memory;
    team->agreement = &m->agreement;
    armcii_agreement_survey(team);
    if (!add_extent(team, ARENA_SLOTS, 1)) return;
    armcii_agreement_start(team, armcii_pool_alloc(&m->space[ARENA_SLOTS].pool, AGREE_BYTES, LINE));
}

/* ---- allocation ---- */

static size_t alignment_of(size_t bytes)
{
    if (bytes >= ZONE_MIN_SLICE) return HUGE_PAGE;
    return bytes < PAGE ? LINE : PAGE;
}

static size_t padded(size_t bytes)
{
    const size_t unit = alignment_of(bytes);
    return (bytes + unit - 1) / unit * unit;
}

/* The extent that holds the offset; NULL: none. */
static struct extent *find_extent(const struct space *space, size_t offset)
{
    struct extent *e = space->extents;
    while (e && offset - e->offset >= e->bytes)
        e = e->next;
    return e;
}

static enum arena_area area_of(size_t bytes)
{
    return bytes >= ZONE_MIN_SLICE ? ARENA_ZONE : ARENA_SLOTS;
}

/* Bytes of the area that slices of at most `bytes` bytes take; 0: more than there are. */
static size_t span_of(const struct team *team, size_t bytes)
{
    size_t n = team->agreement->local_ranks;
    if (area_of(bytes) == ARENA_SLOTS) return padded(bytes);
    return bytes < armcii_arena->zone / n ? padded(bytes) * n : 0;
}

static size_t allocate(struct team *team, enum arena_area area, size_t bytes, size_t alignment)
{
    struct pool *pool = &team->memory->space[area].pool;
    size_t unit = armcii_arena_unit(area), offset = armcii_pool_alloc(pool, bytes, alignment);
    if (offset == POOL_FULL && add_extent(team, area, (bytes + unit - 1) / unit))
        offset = armcii_pool_alloc(pool, bytes, alignment);
    return offset;
}

bool armcii_team_memory_alloc(struct team *team, size_t bytes, struct placement *place)
{
    if (!team->memory) create_memory(team);
    enum arena_area area = area_of(bytes);
    size_t span = span_of(team, bytes);
    size_t offset = span > 0 ? allocate(team, area, span, alignment_of(bytes)) : POOL_FULL;
    if (offset == POOL_FULL) return false;
    *place = (struct placement){
        .offset = offset,
        .span = span,
        .stride = area == ARENA_ZONE ? padded(bytes) : armcii_arena->slot,
        .extent = area == ARENA_SLOTS ? find_extent(&team->memory->space[area], offset) : NULL};
    return true;
}

void armcii_team_memory_free(struct team *team, const struct placement *place)
{
    if (!place->extent) armcii_arena_drop(team, place->offset, place->span);
    armcii_pool_free(&team->memory->space[place->extent ? ARENA_SLOTS : ARENA_ZONE].pool,
                     place->offset, place->span);
}

bool armcii_team_memory_has(int process, size_t offset)
{
    const int node = armcii_world->node_of[process];
    for (const struct team *t = armcii_teams(); t; t = t->next)
        if (t->memory && find_extent(&t->memory->space[ARENA_ZONE], offset) &&
            armcii_team_is_on_node(t, node))
            return true;
    return false;
}

size_t armcii_team_memory_on_node(const struct team *team, size_t bytes)
{
    return padded(bytes) * (size_t)team->agreement->most_on_node;
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
    return padded((size_t)team->size * sizeof(size_t));
}

/* The entries of one node after the other, from the caller's node down, as they arrive. */
struct blocks {
    size_t *entry;
    int size; /* entries of each node; the last ones are unused where it has fewer members */
};

/* To or from the table. Nodes are numbered as m->leaders, in the order of their first members. */
static void copy_blocks(const struct team *team, struct blocks blocks, size_t table[],
                        bool own_to_blocks)
{
    const struct agreement *m = team->agreement;
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
    const struct agreement *m = team->agreement;
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
    const struct agreement *m = team->agreement;
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
    if (team->agreement->local_rank > 0) return;
    armcii_reservation_add(armcii_arena_unreserved(offset, table_bytes(team)));
    armcii_arena_set_reserved(offset, table_bytes(team));
}

size_t *armcii_team_share(struct team *team, size_t mine)
{
    if (armcii_arena->slot == 0) return NULL;
    if (!team->memory) create_memory(team);
    size_t bytes = table_bytes(team), offset = POOL_FULL;
    if (team->agreement->has_cells && bytes < armcii_arena->slot)
        offset = allocate(team, ARENA_SLOTS, bytes, alignment_of(bytes));
    if (offset == POOL_FULL) return NULL;
    armcii_team_scope(team, TEAM_NODE);
    account_for_table(team, offset);
    size_t *table = table_at(team, offset);
    table[team->rank] = mine;
    armcii_agree_by(team, (int64_t[AGREE_WORDS]){(int64_t)offset}, share_between_nodes);
    return table;
}

void armcii_team_unshare(struct team *team, const size_t *table)
{
    size_t first = (size_t)((const char *)table - (const char *)table_at(team, 0));
    armcii_pool_free(&team->memory->space[ARENA_SLOTS].pool, first, table_bytes(team));
}
