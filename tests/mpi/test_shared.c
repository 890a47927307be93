/* test_shared.c - memory shared inside the node: what it takes of the system and gives back, many
 * regions and odd ones. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness.h"

enum { MIB = 1 << 20 };

/* Mappings of segments in anonymous files, the library's own kind. */
static long segments_mapped(void)
{
    return lines_with("/proc/self/maps", "memfd:armci");
}

static long all_mappings(void)
{
    return lines_with("/proc/self/maps", "-");
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
        check_bytes(seen, wanted, bytes, "region %d: slice of %zu bytes of rank %d, from byte %zu",
                    k->seed, k->bytes[rank], rank, at);
    }
}

/* Slices of k->bytes. */
static void create_known(struct known *k, int seed)
{
    k->seed = seed;
    k->base = region_create(k->bytes[test_rank()]);
    for (int p = 0; p < test_ranks(); p++)
        check((k->base[p] != NULL) == (k->bytes[p] > 0),
              "region %d: the slice of %zu bytes of rank %d is at %p", seed, k->bytes[p], p,
              k->base[p]);
    fill(k);
}

static void free_known(struct known *k)
{
    region_free(k->base);
    k->base = NULL;
}

/* True if the memory is that of a file there. How full it is says less: others use it, too. */
static bool is_in_dev_shm(const void *memory)
{
    char line[512];
    uintptr_t lo, hi;
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        if (sscanf(line, "%zx-%zx", &lo, &hi) == 2 && (uintptr_t)memory - lo < hi - lo)
            found = strstr(line, "/dev/shm/") != NULL;
    if (maps) fclose(maps);
    return found;
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
    create_known(&k, 1);
    if (test_rank() == 0) memset((char *)k.base[0] + EDGE, 0x77, LARGE - 2 * EDGE);
    ARMCI_Barrier();
    check(!is_in_dev_shm(k.base[test_rank()]), "the slice %p is in /dev/shm", k.base[test_rank()]);
    verify(&k, 0);
    check_long(ARMCI_GetValueInt((char *)k.base[0] + LARGE / 2, 0), 0x77777777,
               "a word in the middle");
    ARMCI_Barrier();
    free_known(&k);
}

/* Regions of at least `least` bytes on each rank, however many ranks there are, take at most
 * `mappings` mappings each and keep no descriptor open; everything is given back. */
struct size {
    size_t least;
    int mappings;
};

static void take_little(const void *row)
{
    enum { REGIONS = 24 };
    size_t least = ((const struct size *)row)->least;
    int most = ((const struct size *)row)->mappings * REGIONS;
    struct known k[REGIONS];
    if (!needs_segments()) return;
    memset(k, 0, sizeof k);
    for (int i = 0; i < REGIONS; i++)
        for (int p = 0; p < test_ranks(); p++)
            k[i].bytes[p] = least + (i == 0 ? 1 : (size_t)(1000 * i + 5000 * p));
    create_known(&k[0], 0); /* what MPI and libc take once is taken now */
    free_known(&k[0]);
    long segments = segments_mapped(), mappings = all_mappings(), opened = descriptors();
    for (int i = 0; i < REGIONS; i++) {
        create_known(&k[i], i);
        for (int p = 0; p < test_ranks(); p++)
            verify(&k[i], p);
    }
    check(segments_mapped() - segments <= most, "%ld segments mapped for %d regions of %d ranks",
          segments_mapped() - segments, REGIONS, test_ranks());
    check(all_mappings() - mappings <= most + 8, "%ld more mappings for %d regions of %d ranks",
          all_mappings() - mappings, REGIONS, test_ranks());
    check_long(descriptors(), opened, "open descriptors with %d regions", REGIONS);
    ARMCI_Barrier();
    for (int i = 0; i < REGIONS; i++)
        free_known(&k[i * 7 % REGIONS]);
    check_long(segments_mapped(), segments, "segments mapped after all is freed");
    check_long(descriptors(), opened, "open descriptors after all is freed");
}

/* Make sets of mutexes and take each away; a set maps at most one segment more than there were. */
static void use_sets_of_mutexes(int sets, long segments)
{
    for (int i = 0; i < sets; i++) {
        armcix_mutex_hdl_t set = ARMCIX_Create_mutexes_hdl(i % 5, NULL);
        if (i % 5 > 0) {
            ARMCIX_Lock_hdl(set, i % 5 - 1, test_rank());
            ARMCIX_Unlock_hdl(set, i % 5 - 1, test_rank());
        }
        check(segments_mapped() <= segments + 1, "a set of mutexes maps %ld segments",
              segments_mapped() - segments);
        ARMCIX_Destroy_mutexes_hdl(set);
    }
}

static void mutexes_take_little(void)
{
    if (!needs_segments()) return;
    use_sets_of_mutexes(
        5, segments_mapped()); /* MPI libraries connect when the first message is sent */
    long segments = segments_mapped(), opened = descriptors();
    use_sets_of_mutexes(50, segments);
    check_long(segments_mapped(), segments, "segments mapped after 50 sets of mutexes");
    check_long(descriptors(), opened, "open descriptors after 50 sets of mutexes");
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
    kept[i].at =
        mmap(NULL, kept[i].bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
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
    long segments = segments_mapped(), opened = descriptors();
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
    check(descriptors() <= opened, "%ld open descriptors, %ld before", descriptors(), opened);
    free(k);
}

/* One rank has all, and it is much; one has a byte; nobody has anything. */
static void slices_of_all_sizes(void)
{
    struct known k = {.base = NULL};
    int n = test_ranks();
    for (int who = 0; who < n; who++)
        for (int kind = 0; kind < 4; kind++) {
            static const size_t sizes[][2] = {
                {0, 1}, {0, 300 * (size_t)MIB}, {1, 300 * (size_t)MIB}, {5000, 0}};
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

static const struct test tests[] = {
    {"memory takes no room in /dev/shm", takes_no_dev_shm},
    {"a small region takes no mapping and no descriptor", ONE_ROW(take_little, struct size, 0, 0)},
    {"a large region takes no mapping and no descriptor",
     ONE_ROW(take_little, struct size, 2 << 20, 0)},
    {"mutexes take one mapping and no descriptor", mutexes_take_little},
    {"hundreds of regions come and go in any order", many_regions},
    {"slices may be empty or huge", slices_of_all_sizes},
};
SUITE();
