/* test_arena.c - small regions: their memory is used again, stays flat, and belongs to one region
 * at a time. */
#include <sys/resource.h>

#include "harness.h"

enum { ALIGNMENT = 64 };

/* Bytes that depend on the owner and the region. */
static long content(int owner, int region, size_t i)
{
    return owner * 1000003L + region * 997L + (long)i;
}

/* ---- many regions of many groups, created and freed in random order ---- */

enum { GROUPS = 20, LIVE = 400, MOST_LONGS = 100 };

static struct group {
    ARMCI_Group group;
    int n, members[MOST_RANKS];
} groups[GROUPS];

static struct live {
    int group, id;
    size_t longs; /* in the largest slice */
    enum { EQUAL, DIFFERENT, RUNS, SOME_EMPTY, SIZES } sizes;
    void *base[MOST_RANKS];
} live[LIVE];

/* Every rank draws the same numbers, also for the groups that it is not in. */
static struct rng draws;

/* The caller's rank in the group; -1: no member. */
static int rank_in(const struct group *g)
{
    int i = g->n - 1;
    while (i >= 0 && g->members[i] != test_rank())
        i--;
    return i;
}

static void create_groups(void)
{
    for (int i = 0; i < GROUPS; i++) {
        struct group *g = &groups[i];
        g->n = 0;
        for (int p = 0; p < test_ranks(); p++)
            if (i == 0 || rng_chance(&draws, 60)) g->members[g->n++] = p;
        if (g->n == 0) g->members[g->n++] = i % test_ranks();
        if (rank_in(g) >= 0) ARMCI_Group_create(g->n, g->members, &g->group);
    }
}

static void free_groups(void)
{
    for (int i = 0; i < GROUPS; i++)
        if (rank_in(&groups[i]) >= 0) ARMCI_Group_free(&groups[i].group);
}

static size_t longs_of(const struct live *l, int member)
{
    switch (l->sizes) {
    case DIFFERENT: return l->longs - (size_t)member % l->longs;
    case RUNS: return member < 2 ? l->longs : (l->longs + 1) / 2;
    case SOME_EMPTY: return member % 3 == 1 ? l->longs : 0;
    default: return l->longs;
    }
}

/* The next member of the group writes each slice. */
static void create(struct live *l, int id)
{
    struct group *g = &groups[l->group = rng_between(&draws, 0, GROUPS - 1)];
    l->id = id;
    l->longs = (size_t)rng_between(&draws, 1, MOST_LONGS);
    l->sizes = rng_between(&draws, 0, SIZES - 1);
    int me = rank_in(g);
    if (me < 0) return;
    check_long(
        ARMCI_Malloc_group(l->base, (armci_size_t)(longs_of(l, me) * sizeof(long)), &g->group), 0,
        "ARMCI_Malloc_group");
    int to = (me + 1) % g->n;
    long values[MOST_LONGS];
    check((l->base[to] == NULL) == (longs_of(l, to) == 0) &&
              (uintptr_t)l->base[to] % ALIGNMENT == 0,
          "base of member %d of region %d: %p", to, id, l->base[to]);
    for (size_t i = 0; i < longs_of(l, to); i++)
        values[i] = content(g->members[to], id, i);
    if (l->base[to])
        ARMCI_Put(values, l->base[to], (int)(longs_of(l, to) * sizeof(long)), g->members[to]);
}

/* What the region has held since it was created is still there. */
static void check_and_free(struct live *l)
{
    struct group *g = &groups[l->group];
    int me = rank_in(g);
    if (l->id == 0 || me < 0) return;
    ARMCI_AllFence();
    armci_msg_group_barrier(&g->group);
    for (int p = 0; p < g->n; p++) {
        long seen[MOST_LONGS];
        if (l->base[p])
            ARMCI_Get(l->base[p], seen, (int)(longs_of(l, p) * sizeof(long)), g->members[p]);
        for (size_t i = 0; i < longs_of(l, p); i++)
            if (!check_long(seen[i], content(g->members[p], l->id, i),
                            "long %zu of region %d in %d", i, l->id, g->members[p]))
                break;
    }
    check_long(ARMCI_Free_group(l->base[me], &g->group), 0, "ARMCI_Free_group");
}

static void random_order(void)
{
    int steps = effort(4000);
    draws = rng_stream(1);
    create_groups();
    memset(live, 0, sizeof live);
    for (int id = 1; id <= steps; id++) {
        struct live *l = &live[rng_between(&draws, 0, LIVE - 1)];
        check_and_free(l);
        create(l, id);
    }
    for (int i = 0; i < LIVE; i++)
        check_and_free(&live[i]);
    free_groups();
}

/* ---- memory stays flat ---- */

/* Resident bytes of this process that are shared, and mappings of the library's memory. */
static long shared_kib(void)
{
    long kib = 0;
    char line[200];
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        sscanf(line, "RssShmem: %ld", &kib);
    if (f) fclose(f);
    return kib;
}

enum { REGIONS = 1000, MANY = 3000, REGION_BYTES = 4096 };
static void *bases[MANY][MOST_RANKS];

static void fill_and_free(int regions)
{
    int me = test_rank();
    for (int i = 0; i < regions; i++) {
        check_long(ARMCI_Malloc(bases[i], REGION_BYTES), 0, "ARMCI_Malloc, %d regions alive", i);
        memset(bases[i][me], i + 1, REGION_BYTES);
    }
    for (int i = 0; i < regions; i++) {
        char *mine = bases[i][me];
        check(mine[0] == (char)(i + 1) && mine[REGION_BYTES - 1] == (char)(i + 1),
              "region %d of %d was overwritten", i, regions);
        check_long(ARMCI_Free(mine), 0, "ARMCI_Free");
    }
}

static void memory_is_flat(void)
{
    int regions = effort(REGIONS);
    fill_and_free(regions);
    ARMCI_Barrier();
    long kib = shared_kib(), maps = lines_with("/proc/self/maps", "memfd:armci"),
         files = lines_with("/proc/self/maps", "");
    for (int round = 0; round < 10; round++)
        fill_and_free(regions);
    ARMCI_Barrier();
    check(shared_kib() <= kib + 256, "shared memory grew from %ld KiB to %ld", kib, shared_kib());
    check_long(lines_with("/proc/self/maps", "memfd:armci"), maps,
               "mappings of the library's memory");
    check(lines_with("/proc/self/maps", "") <= files + 8, "mappings grew from %ld to %ld", files,
          lines_with("/proc/self/maps", ""));
}

/* More than MPICH has context ids for windows. */
static void many_at_once(void)
{
    fill_and_free(MANY);
}

static const struct test tests[] = {
    {"regions of 20 groups, created and freed in random order, keep their contents", random_order},
    {"3000 regions exist at once", many_at_once},
    {"memory and mappings stay flat", memory_is_flat},
};
/* With a limited address space there is no arena. */
static void start(int *argc, char ***argv)
{
    struct rlimit limit = {.rlim_cur = (rlim_t)1 << 40, .rlim_max = (rlim_t)1 << 40};
    if (getenv("ARMCI_TEST_ADDRESS_SPACE")) setrlimit(RLIMIT_AS, &limit);
    MPI_Init(argc, argv);
    ARMCI_Init();
}

SUITE(.start = start);
