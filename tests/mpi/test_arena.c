/* test_arena.c - regions of every size: their memory is used again, stays flat, and belongs to one
 * region at a time. */
#define _GNU_SOURCE
#include <unistd.h>

#include "harness.h"

enum { ALIGNMENT = 64 };

/* Bytes that depend on the owner and the region. */
static long content(int owner, int region, size_t i)
{
    return owner * 1000003L + region * 997L + (long)i;
}

/* ---- many regions of many groups, created and freed in random order ---- */

enum { GROUPS = 20, LIVE = 400, MOST_LONGS = 100, LARGEST = 10 << 20 };

static struct group {
    ARMCI_Group group;
    int n, members[MOST_RANKS];
} groups[GROUPS];

static struct live {
    int group, id;
    size_t longs;  /* in the largest slice */
    size_t stride; /* bytes from one long of a slice to the next; a large slice is sparse */
    enum sizes { EQUAL, DIFFERENT, RUNS, SOME_EMPTY, SIZES } sizes;
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

/* A put or get of all longs of a slice; local ones lie one behind the other. */
static void transfer(int (*strided)(void *, int[], void *, int[], int[], int, int), void *from,
                     size_t from_stride, void *to, size_t to_stride, size_t longs, int proc)
{
    int from_bytes = (int)from_stride, to_bytes = (int)to_stride;
    int count[2] = {sizeof(long), (int)longs};
    strided(from, &from_bytes, to, &to_bytes, count, 1, proc);
}

/* The next member of the group writes each slice. */
static void create(struct live *l, int id, bool some_large)
{
    struct group *g = &groups[l->group = rng_between(&draws, 0, GROUPS - 1)];
    l->id = id;
    l->longs = (size_t)rng_between(&draws, 1, MOST_LONGS);
    l->sizes = (enum sizes)rng_between(&draws, 0, SIZES - 1);
    l->stride = sizeof(long);
    if (some_large && rng_chance(&draws, 12))
        l->stride *= (size_t)rng_between(&draws, 1, LARGEST / MOST_LONGS / (int)sizeof(long));
    int me = rank_in(g);
    if (me < 0) return;
    check_long(ARMCI_Malloc_group(l->base, (armci_size_t)(longs_of(l, me) * l->stride), &g->group),
               0, "ARMCI_Malloc_group");
    int to = (me + 1) % g->n;
    long values[MOST_LONGS];
    check((l->base[to] == NULL) == (longs_of(l, to) == 0) &&
              (uintptr_t)l->base[to] % ALIGNMENT == 0,
          "base of member %d of region %d: %p", to, id, l->base[to]);
    for (size_t i = 0; i < longs_of(l, to); i++)
        values[i] = content(g->members[to], id, i);
    if (l->base[to])
        transfer(ARMCI_PutS, values, sizeof(long), l->base[to], l->stride, longs_of(l, to),
                 g->members[to]);
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
            transfer(ARMCI_GetS, l->base[p], l->stride, seen, sizeof(long), longs_of(l, p),
                     g->members[p]);
        for (size_t i = 0; i < longs_of(l, p); i++)
            if (!check_long(seen[i], content(g->members[p], l->id, i),
                            "long %zu of region %d in %d", i, l->id, g->members[p]))
                break;
    }
    check_long(ARMCI_Free_group(l->base[me], &g->group), 0, "ARMCI_Free_group");
}

/* With ARMCI_TEST_LONG=1 so many steps, else a few hundred. */
static void in_random_order(int most_steps, bool some_large)
{
    int steps = getenv("ARMCI_TEST_LONG") ? most_steps : 600;
    create_groups();
    memset(live, 0, sizeof live);
    for (int id = 1; id <= steps; id++) {
        struct live *l = &live[rng_between(&draws, 0, LIVE - 1)];
        check_and_free(l);
        create(l, id, some_large);
    }
    for (int i = 0; i < LIVE; i++)
        check_and_free(&live[i]);
    free_groups();
}

static void random_order(void)
{
    draws = rng_stream(1);
    in_random_order(4000, false);
}

/* The same regions and groups each time: once for what is kept for later, then measured. */
static void mixed_sizes(void)
{
    struct held before = {0};
    for (int round = 0; round < 3; round++) {
        draws = rng_stream(2);
        in_random_order(5000, true);
        if (round == 0) before = held();
    }
    check_held(before);
}

/* ---- memory stays flat ---- */

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
    struct held before = held();
    for (int round = 0; round < 10; round++)
        fill_and_free(regions);
    check_held(before);
}

/* More than MPICH has context ids for windows. */
static void many_at_once(void)
{
    fill_and_free(MANY);
}

/* ---- a program that closes what it has not opened ---- */

enum { FOREIGN = 1 << 20 };

/* The descriptor of the memory that the processes of a node share; -1: there is none. */
static int find_descriptor(void)
{
    char path[64], target[64];
    for (int fd = 0; fd < 1024; fd++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        ssize_t n = readlink(path, target, sizeof target - 1);
        if (n > 0 && strncmp(target, "/memfd:armci", 12) == 0) return fd;
    }
    return -1;
}

/* Where the address is in the file that is mapped there. */
static off_t offset_in_file(const void *address)
{
    char line[256];
    unsigned long start, end, offset, at = (unsigned long)address, found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 && start <= at && at < end)
            found = at - start + offset;
    fclose(maps);
    return (off_t)found;
}

/* Put content into the file where the region was in the heap, under the heap's descriptor, and free
 * the region. */
static void free_beside(int fd, int other)
{
    static char content[FOREIGN];
    void *base[MOST_RANKS];
    check_long(ARMCI_Malloc(base, sizeof content), 0, "ARMCI_Malloc");
    const off_t at = offset_in_file(base[test_rank()]);
    memset(base[test_rank()], 1, sizeof content);
    memset(content, 7, sizeof content);
    check_long(dup2(other, fd), fd, "dup2");
    const bool fits = pwrite(fd, content, sizeof content, at) == sizeof content; /* 15 TiB */
    check_long(ARMCI_Free(base[test_rank()]), 0, "ARMCI_Free");
    memset(content, 0, sizeof content);
    if (!fits || !check(pread(fd, content, sizeof content, at) == sizeof content, "pread")) return;
    for (size_t i = 0; i < sizeof content; i += 4096)
        check(content[i] == 7, "byte %zu of the file is %d", i, content[i]);
}

/* As after closefrom(3): the number is that of another file, which stays as it is. */
static void descriptor_of_another_file(void)
{
    const int fd = find_descriptor(), kept = fd < 0 ? -1 : dup(fd);
    FILE *other = tmpfile();
    if (fd >= 0 && check(other != NULL, "tmpfile")) {
        free_beside(fd, fileno(other));
        dup2(kept, fd);
        close(kept);
    }
    if (other) fclose(other);
}

static const struct test tests[] = {
    {"another file that has the number of a closed descriptor stays as it is",
     descriptor_of_another_file},
    {"regions of 20 groups, created and freed in random order, keep their contents", random_order},
    {"regions of up to 10 MiB, too, and neither memory nor descriptors grow", mixed_sizes},
    {"3000 regions exist at once", many_at_once},
    {"memory and mappings stay flat", memory_is_flat},
};
SUITE();
