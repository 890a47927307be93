/* range.c - what a team has in the heaps of its nodes. */
#include "node/range.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/pool.h"
#include "mpi/coll.h"
#include "mpi/world.h"
#include "node/agree.h"
#include "node/heap.h"

struct team_memory {
    struct agreement agreement;
    struct chunk *chunks;
    struct pool pool;   /* of their free parts */
    size_t chunk_bytes; /* of all */
};

static void free_memory(struct team_memory *m)
{
    while (m->chunks) {
        struct chunk *c = m->chunks;
        m->chunks = c->next;
        if (m->agreement.local_rank == 0) armcii_heap_free(c->offset, c->bytes);
        free(c);
    }
    armcii_pool_clear(&m->pool);
    armcii_agreement_end(&m->agreement);
    free(m);
}

/* False if the members cannot agree by the heap. */
static bool has_memory(struct team *team)
{
    if (!team->memory) {
        team->memory = armcii_alloc(1, sizeof *team->memory, "the memory of a group");
        team->free_memory = free_memory;
        team->agreement = &team->memory->agreement;
        armcii_agreement_start(team);
    }
    return team->agreement->cells;
}

/* ---- one offset on all nodes ----
 *
 * The first member of each node takes the highest free range that ends at or below a limit. If they
 * have not all taken the same, they give theirs back, and lower the limit to the lowest of them.
 * Mostly the heaps have the same free ranges: those of teams on one node are elsewhere. */

enum { LINE = 64, PAGE = 4096 };          /* bytes */
enum { BYTES, ALIGNMENT, LIMIT, OFFSET }; /* words of the agreement */
_Static_assert(OFFSET + 1 == AGREE_WORDS, "an agreement has as many words");

/* That of ranges with such an alignment. */
static enum heap_part part_of(size_t alignment)
{
    return alignment == HUGE_PAGE ? HEAP_LARGE : HEAP_SMALL;
}

static void take_same_range(struct team *team, int64_t word[])
{
    const size_t bytes = (size_t)word[BYTES], alignment = (size_t)word[ALIGNMENT];
    for (size_t limit = (size_t)word[LIMIT];;) {
        enum { HIGHEST, LOWEST_NEGATED };
        const size_t own = armcii_heap_alloc(part_of(alignment), bytes, alignment, limit);
        const int64_t at = own == HEAP_FULL ? -1 : (int64_t)own;
        int64_t all[AGREE_WORDS] = {at, -at};
        armcii_agree_between_nodes(team, all);
        word[OFFSET] = -all[LOWEST_NEGATED];
        if (all[HIGHEST] == -all[LOWEST_NEGATED]) return;
        if (own != HEAP_FULL) armcii_heap_free(own, bytes);
        if (word[OFFSET] < 0) return;
        limit = (size_t)word[OFFSET] + bytes;
    }
}

/* Collective. The offset; negative if a node has no room. */
static int64_t take_below(struct team *team, size_t bytes, size_t alignment, size_t limit)
{
    int64_t word[AGREE_WORDS] = {[BYTES] = (int64_t)bytes,
                                 [ALIGNMENT] = (int64_t)alignment,
                                 [LIMIT] = (int64_t)limit,
                                 [OFFSET] = -1};
    armcii_agree_by(team, word, take_same_range);
    return word[OFFSET];
}

/* Collective. HEAP_FULL if a node has no room. Teams on one node use the lower half first. */
static size_t take_range(struct team *team, size_t bytes, size_t alignment)
{
    const enum heap_part part = part_of(alignment);
    const size_t begin = armcii_heap_end_of(part - 1), end = armcii_heap_end_of(part);
    int64_t offset = -1;
    if (bytes == 0 || bytes > end - begin) return HEAP_FULL;
    if (team->agreement->nodes == 1)
        offset = take_below(team, bytes, alignment, begin + (end - begin) / 2);
    if (offset < 0) offset = take_below(team, bytes, alignment, end);
    if (offset < 0) return HEAP_FULL;
    armcii_heap_drop_registrations();
    return (size_t)offset;
}

/* ---- allocation ---- */

static size_t alignment_of(size_t bytes)
{
    if (bytes >= LARGE_SLICE) return HUGE_PAGE;
    if (bytes >= RETURNED_SLICE) return RETURNED_SLICE;
    return bytes < PAGE ? LINE : PAGE;
}

static size_t padded(size_t bytes)
{
    const size_t unit = alignment_of(bytes);
    return (bytes + unit - 1) / unit * unit;
}

/* The bytes of a range for slices of at most `bytes` bytes; 0: more than there are. */
static size_t range_bytes(const struct team *team, size_t bytes)
{
    const size_t n = team->agreement->local_ranks;
    return bytes < armcii_heap->bytes / n ? padded(bytes) * n : 0;
}

/* At least as many bytes as the chunks have, so that their number grows in few steps. The first
 * line of a chunk stays free, so that no range lies in two of them. */
static bool add_chunk(struct team *team, size_t least)
{
    enum { FIRST_CHUNK = 1 << 20 }; /* bytes for each process */
    struct team_memory *m = team->memory;
    const size_t first = FIRST_CHUNK * m->agreement.local_ranks,
                 more = m->chunk_bytes > first ? m->chunk_bytes : first,
                 bytes = padded(more > least + PAGE ? more : least + PAGE),
                 offset = take_range(team, bytes, RETURNED_SLICE);
    if (offset == HEAP_FULL) return false;
    struct chunk *c = armcii_alloc(1, sizeof *c, "a chunk");
    *c = (struct chunk){.offset = offset, .bytes = bytes, .next = m->chunks};
    m->chunks = c;
    m->chunk_bytes += bytes;
    armcii_pool_free(&m->pool, offset + LINE, bytes - LINE);
    return true;
}

static struct chunk *find_chunk(const struct team *team, size_t offset)
{
    struct chunk *c = team->memory->chunks;
    while (c && offset - c->offset >= c->bytes)
        c = c->next;
    return c;
}

/* A range of a team whose members compute it from its earlier ones: nothing is exchanged. */
static size_t take_from_chunk(struct team *team, size_t bytes, size_t alignment)
{
    struct pool *pool = &team->memory->pool;
    size_t offset = armcii_pool_alloc(pool, bytes, alignment);
    if (offset == POOL_FULL && add_chunk(team, bytes))
        offset = armcii_pool_alloc(pool, bytes, alignment);
    return offset == POOL_FULL ? HEAP_FULL : offset;
}

bool armcii_range_alloc(struct team *team, size_t bytes, bool in_chunk, struct range *range)
{
    if (armcii_heap->bytes == 0 || !has_memory(team)) return false;
    const size_t all = range_bytes(team, bytes), alignment = alignment_of(bytes);
    const bool is_large = part_of(alignment) == HEAP_LARGE;
    const size_t offset = in_chunk && !is_large ? take_from_chunk(team, all, alignment)
                                                : take_range(team, all, alignment);
    if (offset == HEAP_FULL) return false;
    *range = (struct range){.offset = offset,
                            .bytes = all,
                            .stride = padded(bytes),
                            .chunk = is_large ? NULL : find_chunk(team, offset)};
    return true;
}

void armcii_range_free(struct team *team, const struct range *range)
{
    const bool is_first = team->agreement->local_rank == 0;
    if (range->chunk) {
        armcii_pool_free(&team->memory->pool, range->offset, range->bytes);
        return;
    }
    if (!armcii_range_keeps_pages(range))
        armcii_heap_free_pages(range->offset, range->bytes, is_first);
    if (is_first) armcii_heap_free(range->offset, range->bytes);
}

size_t armcii_range_on_node(const struct team *team, size_t bytes)
{
    return padded(bytes) * (size_t)team->agreement->most_on_node;
}

/* ---- tables ---- */

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

static size_t *table_of(const int64_t word[])
{
    return (size_t *)(void *)(armcii_heap->base + word[0]);
}

static void make_table(struct team *team, int64_t word[])
{
    void *table = armcii_heap_share((size_t)team->size * sizeof(size_t),
                                    armcii_team_scope(team, TEAM_NODE)->n);
    if (!table) armcii_fatal("out of memory for a table of %d processes", team->size);
    word[0] = (int64_t)armcii_heap_offset(table);
}

static void share_between_nodes(struct team *team, int64_t word[])
{
    const struct agreement *m = team->agreement;
    if (m->nodes == 1) return;
    size_t n = (size_t)m->nodes;
    struct blocks blocks = {.size = m->most_on_node};
    blocks.entry = armcii_alloc(n * (size_t)blocks.size, sizeof *blocks.entry,
                                "a table of %d processes", team->size);
    copy_blocks(team, blocks, table_of(word), true);
    exchange_blocks(team, blocks);
    copy_blocks(team, blocks, table_of(word), false);
    free(blocks.entry);
}

size_t *armcii_team_share(struct team *team, size_t mine)
{
    int64_t word[AGREE_WORDS] = {0};
    if (armcii_heap->bytes == 0 || !has_memory(team)) return NULL;
    armcii_agree_by(team, word, make_table);
    table_of(word)[team->rank] = mine;
    armcii_agree_by(team, word, share_between_nodes);
    return table_of(word);
}

void armcii_team_unshare(size_t *table)
{
    armcii_heap_leave(table);
}
