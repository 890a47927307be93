/* test_shared.c - memory shared inside the node: what it takes of the system and gives back, many regions and odd ones, addresses for
 * loads and stores. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "harness.h"

enum { MIB = 1 << 20, MOST_RANKS = 16 };

/* Mappings of segments in anonymous files, the library's own kind. */
static long segments_mapped(void)
{
    return lines_with("/proc/self/maps", "memfd:armci");
}

static long all_mappings(void)
{
    return lines_with("/proc/self/maps", "-");
}

static long open_descriptors(void)
{
    long n = 0;
    char path[40];
    for (int fd = 0; fd < 4096; fd++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        n += faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    }
    return n;
}

/* Byte i of a rank's slice. */
static unsigned char pattern(int seed, int rank, size_t i)
{
    return (unsigned char)(seed * 31 + rank * 7 + (int)(i % 251) * 13);
}

/* Of a slice only the ends are used. */
enum { EDGE = 600 };

struct known {
    void **base; /* NULL: does not exist */
    size_t bytes[MOST_RANKS];
    int seed;
};

/* The beginning (end: false) or the end of a slice. */
static size_t edge_of(const struct known *k, int rank, bool end, size_t *bytes)
{
    *bytes = k->bytes[rank] < EDGE ? k->bytes[rank] : EDGE;
    return end ? k->bytes[rank] - *bytes : 0;
}

/* Each rank fills the slice of the next one. */
static void fill(const struct known *k)
{
    int next = (test_rank() + 1) % test_ranks();
    unsigned char edge[EDGE];
    size_t bytes;
    for (int end = 0; end < 2; end++) {
        size_t at = edge_of(k, next, end, &bytes);
        for (size_t i = 0; i < bytes; i++)
            edge[i] = pattern(k->seed, next, at + i);
        if (bytes > 0) ARMCI_Put(edge, (char *)k->base[next] + at, (int)bytes, next);
    }
    ARMCI_Barrier();
}

static void verify(const struct known *k, int rank)
{
    unsigned char seen[EDGE], wanted[EDGE];
    size_t bytes;
    for (int end = 0; end < 2; end++) {
        size_t at = edge_of(k, rank, end, &bytes);
        if (bytes == 0) continue;
        for (size_t i = 0; i < bytes; i++)
            wanted[i] = pattern(k->seed, rank, at + i);
        memset(seen, 0, sizeof seen);
        ARMCI_Get((char *)k->base[rank] + at, seen, (int)bytes, rank);
        check_bytes(seen, wanted, bytes, "region %d: slice of %zu bytes of rank %d, from byte %zu", k->seed, k->bytes[rank], rank, at);
    }
}

/* Slices of k->bytes. */
static void create_known(struct known *k, int seed)
{
    k->seed = seed;
    k->base = region_create(k->bytes[test_rank()]);
    for (int p = 0; p < test_ranks(); p++)
        check((k->base[p] != NULL) == (k->bytes[p] > 0), "region %d: the slice of %zu bytes of rank %d is at %p", seed, k->bytes[p], p,
              k->base[p]);
    fill(k);
}

static void free_known(struct known *k)
{
    region_free(k->base);
    k->base = NULL;
}

static size_t used_of_dev_shm(void)
{
    struct statvfs s;
    return statvfs("/dev/shm", &s) == 0 ? (size_t)(s.f_blocks - s.f_bfree) * s.f_frsize : 0;
}

/* 200 MiB are more than /dev/shm has in many containers. */
static void takes_no_dev_shm(void)
{
    enum { LARGE = 200 * MIB };
    struct known k = {.bytes = {LARGE}};
    if (!needs_segments()) return;
    if (!on_all_ranks(memory_available() > 3 * (size_t)LARGE)) {
        skip("there is too little memory");
        return;
    }
    for (int p = 1; p < test_ranks(); p++)
        k.bytes[p] = 100;
    size_t before = used_of_dev_shm();
    create_known(&k, 1);
    if (test_rank() == 0) memset((char *)k.base[0] + EDGE, 0x77, LARGE - 2 * EDGE);
    ARMCI_Barrier();
    size_t after = used_of_dev_shm();
    check(after < before + LARGE / 2, "/dev/shm: %zu MiB in use before %d MiB were written to a region, %zu after", before / MIB,
          LARGE / MIB, after / MIB);
    verify(&k, 0);
    check_long(ARMCI_GetValueInt((char *)k.base[0] + LARGE / 2, 0), 0x77777777, "a word in the middle");
    ARMCI_Barrier();
    free_known(&k);
}

/* One mapping for a region, however many ranks there are, and no descriptor; everything given back. */
/* Regions of at least `least` bytes on each rank map `segments_each` segments each. */
static void take_little(size_t least, int segments_each)
{
    enum { REGIONS = 24 };
    struct known k[REGIONS];
    if (!needs_segments()) return;
    memset(k, 0, sizeof k);
    for (int i = 0; i < REGIONS; i++)
        for (int p = 0; p < test_ranks(); p++)
            k[i].bytes[p] = least + (i == 0 ? 1 : (size_t)(1000 * i + 5000 * p));
    create_known(&k[0], 0); /* what MPI and libc take once is taken now */
    free_known(&k[0]);
    long segments = segments_mapped(), mappings = all_mappings(), descriptors = open_descriptors();
    for (int i = 0; i < REGIONS; i++) {
        create_known(&k[i], i);
        for (int p = 0; p < test_ranks(); p++)
            verify(&k[i], p);
    }
    check_long(segments_mapped() - segments, segments_each * REGIONS, "segments mapped for %d regions of %d ranks", REGIONS, test_ranks());
    check(all_mappings() - mappings <= segments_each * REGIONS + 8, "%ld more mappings for %d regions of %d ranks",
          all_mappings() - mappings, REGIONS, test_ranks());
    check_long(open_descriptors(), descriptors, "open descriptors with %d regions", REGIONS);
    ARMCI_Barrier();
    for (int i = 0; i < REGIONS; i++)
        free_known(&k[i * 7 % REGIONS]);
    check_long(segments_mapped(), segments, "segments mapped after all is freed");
    check_long(open_descriptors(), descriptors, "open descriptors after all is freed");
}

static void small_takes_little(void)
{
    take_little(0, 0);
}

static void large_takes_little(void)
{
    take_little(2 << 20, 1);
}

static void mutexes_take_little(void)
{
    if (!needs_segments()) return;
    ARMCI_Create_mutexes(1);
    ARMCI_Destroy_mutexes();
    long segments = segments_mapped(), descriptors = open_descriptors();
    for (int i = 0; i < 50; i++) {
        armcix_mutex_hdl_t set = ARMCIX_Create_mutexes_hdl(i % 5, NULL);
        if (i % 5 > 0) {
            ARMCIX_Lock_hdl(set, i % 5 - 1, test_rank());
            ARMCIX_Unlock_hdl(set, i % 5 - 1, test_rank());
        }
        check(segments_mapped() <= segments + 1, "a set of mutexes maps %ld segments", segments_mapped() - segments);
        ARMCIX_Destroy_mutexes_hdl(set);
    }
    check_long(segments_mapped(), segments, "segments mapped after 50 sets of mutexes");
    check_long(open_descriptors(), descriptors, "open descriptors after 50 sets of mutexes");
}

enum { MANY = 300 };

/* From nothing over bytes and pages to more than a huge page. */
static void draw_sizes(struct rng *r, struct known *k)
{
    for (int p = 0; p < test_ranks(); p++) {
        static const int most[] = {0, 1, 100, 4096, 4097, 70000, 3 * MIB};
        k->bytes[p] = (size_t)rng_between(r, 0, most[rng_between(r, 0, 6)]);
    }
}

/* Private memory here and there, so that processes have the same region at different addresses. */
static void shift_addresses(struct rng *own)
{
    static struct {
        void *at;
        size_t bytes;
    } kept[16];
    int i = rng_between(own, 0, 15);
    if (kept[i].at) munmap(kept[i].at, kept[i].bytes);
    kept[i].bytes = 4096 * (size_t)rng_between(own, 1, 2000);
    kept[i].at = mmap(NULL, kept[i].bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (kept[i].at == MAP_FAILED) kept[i].at = NULL;
}

static void create_or_free(struct known *k, struct rng *r, int seed)
{
    if (k->base) {
        free_known(k);
        return;
    }
    draw_sizes(r, k);
    create_known(k, seed);
}

static void verify_some(const struct known k[], int n, struct rng *own)
{
    for (int i = 0; i < 4; i++) {
        const struct known *some = &k[rng_between(own, 0, n - 1)];
        if (some->base) verify(some, rng_between(own, 0, test_ranks() - 1));
    }
}

static void many_regions(void)
{
    int n = effort(MANY);
    struct known *k = calloc((size_t)n, sizeof *k);
    struct rng r = rng_stream(1), own = rng_stream(100 + (uint64_t)test_rank());
    long segments = segments_mapped(), descriptors = open_descriptors();
    for (int i = 0; i < n; i++) {
        shift_addresses(&own);
        create_or_free(&k[i], &r, i);
        verify_some(k, i + 1, &own);
    }
    for (int i = 0; i < n; i++) {
        ARMCI_Barrier(); /* nobody reads any more what may be freed now */
        shift_addresses(&own);
        create_or_free(&k[rng_between(&r, 0, n - 1)], &r, n + i);
        verify_some(k, n, &own);
    }
    ARMCI_Barrier();
    for (int i = 0; i < n; i++)
        if (k[i].base) free_known(&k[i]);
    check_long(segments_mapped(), segments, "segments mapped after all is freed");
    check(open_descriptors() <= descriptors, "%ld open descriptors, %ld before", open_descriptors(), descriptors);
    free(k);
}

/* One rank has all, and it is much; one has a byte; nobody has anything. */
static void slices_of_all_sizes(void)
{
    struct known k = {.base = NULL};
    int n = test_ranks();
    for (int who = 0; who < n; who++)
        for (int kind = 0; kind < 4; kind++) {
            static const size_t sizes[][2] = {{0, 1}, {0, 300 * (size_t)MIB}, {1, 300 * (size_t)MIB}, {5000, 0}};
            for (int p = 0; p < n; p++)
                k.bytes[p] = sizes[kind][p == who];
            create_known(&k, 4 * who + kind);
            for (int p = 0; p < n; p++)
                verify(&k, p);
            ARMCI_Barrier();
            free_known(&k);
        }
    memset(k.bytes, 0, sizeof k.bytes);
    create_known(&k, 0);
    free_known(&k);
}

/* A group and a region on it; ranks are those of the world. */
struct part {
    ARMCI_Group group;
    int size, rank[MOST_RANKS], place; /* place: the caller's, -1: no member */
    long *base[MOST_RANKS];
};

/* The ranks first, first + step, ... below `end`. */
static void create_part(struct part *g, int first, int end, int step)
{
    ARMCI_Group world;
    memset(g, 0, sizeof *g);
    g->place = -1;
    for (int p = first; p < end; p += step) {
        if (p == test_rank()) g->place = g->size;
        g->rank[g->size++] = p;
    }
    ARMCI_Group_get_world(&world);
    const char *alone = getenv("ARMCI_NONCOLLECTIVE_GROUPS");
    if (g->place >= 0 || (alone && alone[0] == 'n')) ARMCI_Group_create_child(g->size, g->rank, &g->group, &world);
    if (g->place < 0) return;
    check_long(ARMCI_Malloc_group((void **)g->base, 64 * sizeof(long), &g->group), 0, "ARMCI_Malloc_group");
}

static void free_part(struct part *g)
{
    if (g->place < 0) return;
    check_long(ARMCI_Free_group(g->base[g->place], &g->group), 0, "ARMCI_Free_group");
    ARMCI_Group_free(&g->group);
}

/* Every member writes to every other and adds to one counter; then each looks at its own slice. */
static void use_part(const struct part *g, long mark)
{
    long one = 1, ticket;
    if (g->place < 0) return;
    memset(g->base[g->place], 0, 64 * sizeof(long));
    armci_msg_group_barrier((ARMCI_Group *)&g->group);
    for (int i = 0; i < g->size; i++) {
        ARMCI_PutValueLong(mark + g->place, g->base[i] + g->place, g->rank[i]);
        ARMCI_Acc(ARMCI_ACC_LNG, &one, &one, g->base[i] + 32, sizeof one, g->rank[i]);
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &ticket, g->base[i] + 33, 1, g->rank[i]);
    }
    ARMCI_AllFence();
    armci_msg_group_barrier((ARMCI_Group *)&g->group);
    for (int i = 0; i < g->size; i++)
        check_long(g->base[g->place][i], mark + i, "group of %d: what member %d put", g->size, i);
    check_long(g->base[g->place][32], g->size, "group of %d: accumulated", g->size);
    check_long(g->base[g->place][33], g->size, "group of %d: tickets", g->size);
}

static void overlapping_groups(void)
{
    int n = test_ranks();
    struct part g[5];
    static const int free_order[] = {3, 0, 4, 2, 1};
    create_part(&g[0], 0, n, 1);
    create_part(&g[1], 0, n > 1 ? n - 1 : 1, 1);
    create_part(&g[2], n > 1 ? 1 : 0, n, 1);
    create_part(&g[3], 0, n, 2);
    create_part(&g[4], test_rank(), test_rank() + 1, 1);
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 5; i++)
            use_part(&g[i], 1000 * round + 100 * i);
        ARMCI_Barrier();
    }
    for (int f = 0; f < 5; f++) {
        free_part(&g[free_order[f]]);
        for (int later = f + 1; later < 5; later++)
            use_part(&g[free_order[later]], 7000 + 10 * f);
    }
    ARMCI_Barrier();
}

/* Is the memory of p where the caller could load it? */
static bool is_near(int p)
{
    return ARMCI_Uses_shm() && ARMCI_Same_node(p);
}

static void local_addresses(void)
{
    enum { BYTES = 3 * 4096 + 24 };
    int n = test_ranks(), me = test_rank();
    void **base = region_create(BYTES);
    char *mine = base[me];
    static const int offsets[] = {0, 1, 4095, 4096, 9000, BYTES - 1};
    for (int i = 0; i < BYTES; i++)
        mine[i] = (char)pattern(3, me, (size_t)i);
    ARMCI_Barrier();
    for (int p = 0; p < n; p++) {
        char *there = ARMCIX_Local_address(base[p], p);
        check((there != NULL) == is_near(p), "ARMCIX_Local_address of rank %d, which is %s, is %p", p, is_near(p) ? "near" : "far",
              (void *)there);
        if (!there) continue;
        check(p != me || there == mine, "the own slice is elsewhere");
        for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
            char *at = (char *)base[p] + offsets[i];
            check(ARMCIX_Local_address(at, p) == there + offsets[i], "byte %d of rank %d is elsewhere", offsets[i], p);
            check_long((unsigned char)there[offsets[i]], pattern(3, p, (size_t)offsets[i]), "load of byte %d of rank %d", offsets[i], p);
        }
        there[2000 + me] = (char)(100 + me);
        ARMCI_Put(&(char){(char)(50 + me)}, (char *)base[p] + 5000 + me, 1, p);
        check_long(there[5000 + me], 50 + me, "load after ARMCI_Put");
        ARMCI_Fence(p);
    }
    ARMCI_Barrier();
    for (int p = 0; p < n; p++) {
        if (!is_near(p)) continue;
        check_long(mine[2000 + p], 100 + p, "what rank %d stored", p);
        check_long(mine[5000 + p], 50 + p, "what rank %d put", p);
    }
    region_done(base);
}

static const struct test tests[] = {
    {"memory takes no room in /dev/shm", takes_no_dev_shm},
    {"a small region takes no mapping and no descriptor", small_takes_little},
    {"a large region takes one mapping and no descriptor", large_takes_little},
    {"mutexes take one mapping and no descriptor", mutexes_take_little},
    {"hundreds of regions come and go in any order", many_regions},
    {"slices may be empty or huge", slices_of_all_sizes},
    {"groups that overlap have separate regions", overlapping_groups},
    {"loads and stores at local addresses reach the slice", local_addresses},
};
SUITE();
