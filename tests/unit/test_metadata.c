/* test_metadata.c - memory that the tables of regions take in a process of a job with a million
 * ranks. The world and its heap are made up: addresses are computed, never accessed. The
 * library's collectives are replaced: all other ranks contribute what `slice_of` says. */
#define _GNU_SOURCE
#include <malloc.h>
#include <sys/mman.h>

#include "base/log.h"
#include "mem/lookup.h"
#include "mem/region.h"
#include "node/agree.h"
#include "node/range.h"
#include "mpi/coll.h"
#include "mpi/world.h"
#include "transport/route.h"
#include "node/heap.h"
#include "node/node.h"
#include "unit.h"

enum { RANKS = 1 << 20, ON_NODE = 128, GRID = 1 << 10, ME = 0, REGIONS = 5000, FEW_REGIONS = 60 };

static long (*slice_of)(int rank);

static long equal(int rank)
{
    (void)rank;
    return 4096;
}

static long large(int rank)
{
    (void)rank;
    return 4 << 20;
}

static long large_and_different(int rank)
{
    return (2 << 20) + 8 * (rank % 1000);
}

/* A regular distribution of a matrix over a grid of processes: the last column has less. */
static long regular(int rank)
{
    return rank % GRID == GRID - 1 ? 1000 : 4096;
}

static long different(int rank)
{
    return 8 * (rank % 1000);
}

static bool is_full;

/* Ranges that nobody else uses. */
size_t __wrap_armcii_heap_alloc(enum heap_part part, size_t bytes, size_t alignment, size_t limit);
size_t __wrap_armcii_heap_alloc(enum heap_part part, size_t bytes, size_t alignment, size_t limit)
{
    static size_t taken[HEAP_LARGE + 1];
    size_t at = (taken[part] + alignment - 1) / alignment * alignment;
    (void)limit;
    if (is_full) return HEAP_FULL;
    taken[part] = at + bytes;
    return armcii_heap_end_of(part - 1) + at;
}

void __wrap_armcii_heap_free(size_t offset, size_t bytes);
void __wrap_armcii_heap_free(size_t offset, size_t bytes)
{
    (void)offset, (void)bytes;
}

void __wrap_armcii_heap_free_pages(size_t offset, size_t bytes, bool is_first);
void __wrap_armcii_heap_free_pages(size_t offset, size_t bytes, bool is_first)
{
    (void)offset, (void)bytes, (void)is_first;
}

void __wrap_armcii_heap_use_kept(size_t bytes);
void __wrap_armcii_heap_use_kept(size_t bytes)
{
    (void)bytes;
}

void __wrap_armcii_heap_keep(size_t bytes);
void __wrap_armcii_heap_keep(size_t bytes)
{
    (void)bytes;
}

/* Never accessed. */
void *__wrap_armcii_heap_share(size_t bytes, int processes);
void *__wrap_armcii_heap_share(size_t bytes, int processes)
{
    (void)bytes, (void)processes;
    return armcii_heap->base;
}

void __wrap_armcii_heap_leave(void *memory);
void __wrap_armcii_heap_leave(void *memory)
{
    (void)memory;
}

/* All others do as the caller, who is a leader. */
void __wrap_armcii_agree_by(struct team *any, int64_t word[],
                            void (*exchange)(struct team *, int64_t *));
void __wrap_armcii_agree_by(struct team *any, int64_t word[],
                            void (*exchange)(struct team *, int64_t *))
{
    exchange(any, word);
}

void __wrap_armcii_agree_between_nodes(struct team *any, int64_t word[]);
void __wrap_armcii_agree_between_nodes(struct team *any, int64_t word[])
{
    (void)any, (void)word;
}

void __wrap_armcii_coll_barrier(MPI_Comm comm);
void __wrap_armcii_coll_barrier(MPI_Comm comm)
{
    (void)comm;
}

/* The largest size, and the smallest, negated. */
void __wrap_armcii_agree(struct team *any, const int64_t mine[], int64_t largest[], int n);
void __wrap_armcii_agree(struct team *any, const int64_t mine[], int64_t largest[], int n)
{
    static int64_t extreme[2];
    (void)any;
    ck_assert_int_eq(n, 2);
    static long (*known)(int rank);
    if (known != slice_of) {
        memcpy(extreme, mine, sizeof extreme);
        for (int rank = 0; rank < RANKS; rank++) {
            if (slice_of(rank) > extreme[0]) extreme[0] = slice_of(rank);
            if (-slice_of(rank) > extreme[1]) extreme[1] = -slice_of(rank);
        }
    }
    known = slice_of;
    memcpy(largest, extreme, sizeof extreme);
}

bool __wrap_armcii_coll_all(bool mine, MPI_Comm comm);
bool __wrap_armcii_coll_all(bool mine, MPI_Comm comm)
{
    (void)comm;
    return mine;
}

void __wrap_armcii_coll_allgather(const void *mine, void *all, int bytes, MPI_Comm comm);
void __wrap_armcii_coll_allgather(const void *mine, void *all, int bytes, MPI_Comm comm)
{
    (void)mine, (void)comm;
    memset(all, 0, (size_t)bytes * RANKS);
    for (int rank = 0; bytes == sizeof(long) && rank < RANKS; rank++)
        ((long *)all)[rank] = slice_of(rank);
}

/* A table of the node, which is not the process's memory. */
static size_t node_bytes;

size_t *__wrap_armcii_team_share(struct team *any, size_t mine);
size_t *__wrap_armcii_team_share(struct team *any, size_t mine)
{
    size_t bytes = (size_t)any->size * sizeof mine;
    size_t *table = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(table, MAP_FAILED);
    for (int rank = 0; rank < any->size; rank++)
        table[rank] = (size_t)slice_of(rank);
    node_bytes += bytes;
    return table;
}

void __wrap_armcii_team_unshare(size_t *table);
void __wrap_armcii_team_unshare(size_t *table)
{
    size_t bytes = RANKS * sizeof *table;
    node_bytes -= bytes;
    munmap(table, bytes);
}

/* No transport keeps anything. */
void __wrap_armcii_route_region(struct region *r);
void __wrap_armcii_route_region(struct region *r)
{
    static const struct transport none = {.name = "none"};
    static const struct route route = {"none", &none, &none, &none, false, NULL};
    r->near = r->far = &route;
}

static struct team team;
static int *identity, *local_rank_of, *node_of;

static void begin(void)
{
    identity = malloc(RANKS * sizeof *identity);
    local_rank_of = malloc(RANKS * sizeof *local_rank_of);
    node_of = malloc(RANKS * sizeof *node_of);
    int *leaders = calloc(RANKS / ON_NODE, sizeof *leaders);
    ck_assert(identity && local_rank_of && node_of && leaders);
    for (int i = 0; i < RANKS; i++) {
        identity[i] = i;
        local_rank_of[i] = i % ON_NODE;
        node_of[i] = i / ON_NODE;
    }
    *(struct world *)armcii_world = (struct world){.rank = ME,
                                                   .size = RANKS,
                                                   .nodes = RANKS / ON_NODE,
                                                   .node_of = node_of,
                                                   .local_rank_of = local_rank_of,
                                                   .leaders = leaders};
    *(struct node *)armcii_node = (struct node){.shares_memory = true, .rank = ME, .size = ON_NODE};
    *(struct heap *)armcii_heap = (struct heap){(char *)0x110000000000, (size_t)15 << 40};
    team = (struct team){.rank = ME, .size = RANKS, .to_world = identity, .users = 1};
    armcii_lookup_start();
}

static void end(void)
{
    armcii_lookup_end();
    if (team.memory) team.free_memory(team.memory);
    free(identity);
    free(local_rank_of);
    free(node_of);
}

static struct region *regions[REGIONS];

static void create(int count)
{
    const char *why;
    for (int i = 0; i < count; i++) {
        team.unchecked = SIZE_MAX;
        regions[i] = armcii_region_create(&team, slice_of(ME), &why);
        ck_assert_ptr_nonnull(regions[i]);
    }
}

static void free_all(int count)
{
    for (int i = 0; i < count; i++)
        armcii_region_free(regions[i]);
}

/* The last byte of a slice is found, and the one behind it is not. */
static void check_bounds(const struct region *r, int rank)
{
    struct raddr raddr;
    char *base = armcii_region_base(r, rank);
    long bytes = slice_of(rank);
    ck_assert_int_eq((long)armcii_slice_bytes(r, rank), bytes);
    ck_assert((base == NULL) == (bytes == 0));
    if (!base) return;
    ck_assert(armcii_lookup(rank, base + bytes - 1, &raddr));
    ck_assert(raddr.region == r && raddr.rank == rank && raddr.lo == base &&
              raddr.hi == base + bytes && raddr.is_mapped == (node_of[rank] == node_of[ME]));
    ck_assert(!armcii_lookup(rank, base + bytes, &raddr) || raddr.region != r);
}

static void check_some_bounds(int count)
{
    for (int i = 0; i < count; i++)
        for (int rank = i; rank < RANKS; rank += 77777)
            check_bounds(regions[i], rank);
}

/* Bytes that the process has allocated; large blocks are mapped. */
static size_t allocated(void)
{
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

/* Create regions: their tables take at most `most` bytes for each region and rank, and on the node
 * 8 or none, and their slices are found. */
static void check_tables(long (*slices)(int rank), int count, double most, bool table_of_node)
{
    slice_of = slices;
    create(1); /* the tables of the group */
    free_all(1);
    size_t before = allocated();
    create(count);
    double bytes = (double)(allocated() - before) / count / RANKS;
    ck_assert_msg(bytes <= most, "%g bytes for each region and rank", bytes);
    ck_assert_uint_eq(node_bytes, table_of_node ? (size_t)count * RANKS * sizeof(size_t) : 0);
    check_some_bounds(count);
    free_all(count);
    ck_assert_uint_eq(node_bytes, 0);
}

/* Goal: 0.13 bytes. */
TEST(equal_slices_need_no_table)
{
    check_tables(equal, REGIONS, 0.001, false);
}

TEST(large_slices_need_no_table)
{
    check_tables(large, FEW_REGIONS, 300.0 / RANKS, false);
}

TEST(large_slices_of_different_sizes)
{
    check_tables(large_and_different, 3, 300.0 / RANKS, true);
}

TEST(runs_of_equal_slices)
{
    check_tables(regular, FEW_REGIONS, 0.13, false);
}

TEST(different_slices)
{
    check_tables(different, 3, 300.0 / RANKS, true);
}

TEST(memory_is_used_again)
{
    slice_of = equal;
    create(100);
    free_all(100);
    size_t before = allocated();
    for (int round = 0; round < 10; round++) {
        create(100);
        free_all(100);
    }
    ck_assert_uint_le(allocated(), before + 1000);
}

/* With threads, a slow process may learn a region before it has removed an older one there, which
 * others have freed. */
TEST(a_newer_region_stays)
{
    struct raddr raddr;
    struct region r[2] = {
        {.team = &team, .largest = 4096, .range = {8 << 20, ON_NODE * 4096, 4096, NULL}}};
    slice_of = equal;
    __wrap_armcii_route_region(&r[0]);
    r[1] = r[0];
    armcii_lookup_add_offset(&r[0]);
    armcii_lookup_add_offset(&r[1]);
    armcii_lookup_remove_offset(&r[0]);
    ck_assert(armcii_lookup(ME, armcii_region_base(&r[1], ME), &raddr));
    ck_assert_ptr_eq(raddr.region, &r[1]);
    armcii_lookup_remove_offset(&r[1]);
    ck_assert(!armcii_lookup(ME, armcii_region_base(&r[1], ME), &raddr));
}

/* Neither the heap nor a transport has memory. */
TEST(no_room)
{
    const char *why = NULL;
    slice_of = large;
    is_full = true;
    team.unchecked = SIZE_MAX;
    ck_assert_ptr_null(armcii_region_create(&team, slice_of(ME), &why));
    ck_assert_str_eq(why,
                     "no room for 4194304 bytes on each process of a group of 1048576 in the heap");
    is_full = false;
}

const struct unit unit = {.begin = begin, .end = end};
