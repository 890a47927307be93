/* test_metadata.c - memory that the tables of regions take in a process of a job with a million
 * ranks.  The world and its arena are made up: addresses are computed, never accessed.  The
 * library's collectives are replaced: all other ranks contribute what `slice_of` says. */
#define _GNU_SOURCE
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/log.h"
#include "mem/directory.h"
#include "mem/region.h"
#include "mem/team_memory.h"
#include "mpi/coll.h"
#include "mpi/world.h"
#include "transport/route.h"
#include "transport/shm/arena.h"
#include "transport/shm/node.h"
#include "unit.h"

enum { RANKS = 1 << 20, GRID = 1 << 10, ME = 0, REGIONS = 5000, REGIONS_WITH_RUNS = 40 };

static long (*slice_of)(int rank);

static long equal(int rank)
{
    (void)rank;
    return 4096;
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

void __wrap_armcii_coll_allreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op,
                                  MPI_Comm comm);
void __wrap_armcii_coll_allreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op,
                                  MPI_Comm comm)
{
    (void)type, (void)op, (void)comm;
    memcpy(to, from,
           (size_t)n * sizeof(uint64_t)); /* the units of the arena that the members use */
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

void __wrap_armcii_team_allgather(const struct team *team, const void *mine, void *all, int bytes);
void __wrap_armcii_team_allgather(const struct team *team, const void *mine, void *all, int bytes)
{
    (void)mine;
    for (int rank = 0; rank < team->size; rank++)
        if (bytes == sizeof(long))
            ((long *)all)[rank] = slice_of(rank);
        else
            ((int *)all)[rank] = 0; /* tags */
}

/* All ranks share memory, so there is one transport, shm. */
void __wrap_armcii_route_region(struct region *r);
void __wrap_armcii_route_region(struct region *r)
{
    static const struct transport none = {.name = "none"};
    static const struct route route = {"none", &none, &none, &none, false, NULL};
    r->near = r->far = &route;
}

/* The caller's slot exists, but takes no memory until it is touched. */
static void *map_own_slot(void)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    return mmap(armcii_arena->base, armcii_arena->slot, PROT_READ | PROT_WRITE, flags, -1, 0);
}

static struct team team;
static int *identity;

static void begin(void)
{
    identity = malloc(RANKS * sizeof *identity);
    int *zeros = calloc(RANKS, sizeof *zeros);
    ck_assert(identity && zeros);
    for (int i = 0; i < RANKS; i++)
        identity[i] = i;
    *(struct world *)armcii_world = (struct world){.rank = ME,
                                                   .size = RANKS,
                                                   .nodes = 1,
                                                   .node_of = zeros,
                                                   .local_rank_of = identity,
                                                   .leaders = zeros};
    *(struct node *)armcii_node = (struct node){.kind = SEGMENT_MEMFD, .rank = ME, .size = RANKS};
    *(struct arena *)armcii_arena = (struct arena){(char *)0x200000000000, (size_t)16 << 30};
    ck_assert_ptr_eq(map_own_slot(), armcii_arena->base);
    team = (struct team){.rank = ME, .size = RANKS, .to_world = identity, .users = 1};
    armcii_arena_unreserved(0, 1); /* takes memory that no region counts */
    armcii_directory_start();
}

static void end(void)
{
    armcii_directory_end();
    if (team.memory) team.free_memory(team.memory);
    munmap(armcii_arena->base, armcii_arena->slot);
    free(identity);
    free(armcii_world->node_of);
}

static struct region *regions[REGIONS];

static void create(int count)
{
    bool is_empty;
    for (int i = 0; i < count; i++) {
        team.credit = SIZE_MAX;
        regions[i] = armcii_region_create(&team, slice_of(ME), &is_empty);
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
    ck_assert(armcii_region_locate(rank, base + bytes - 1, &raddr));
    ck_assert(raddr.region == r && raddr.rank == rank && raddr.lo == base &&
              raddr.hi == base + bytes && raddr.mapped == base);
    ck_assert(!armcii_region_locate(rank, base + bytes, &raddr) || raddr.region != r);
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

/* Create regions: their tables take at most `most` bytes for each region and rank, and their slices
 * are found. */
static void check_tables(long (*slices)(int rank), int count, double most)
{
    slice_of = slices;
    size_t before = allocated();
    create(count);
    double bytes = (double)(allocated() - before) / count / RANKS;
    ck_assert_msg(bytes <= most, "%g bytes for each region and rank", bytes);
    check_some_bounds(count);
    free_all(count);
}

/* Goal: 0.13 bytes. */
TEST(equal_slices_need_no_table)
{
    check_tables(equal, REGIONS, 0.001);
}

TEST(runs_of_equal_slices)
{
    check_tables(regular, REGIONS_WITH_RUNS, 0.13);
}

TEST(different_slices)
{
    check_tables(different, 3, 8.1);
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

const struct unit unit = {.begin = begin, .end = end};
