/* test_lookup.c - lookup of slices, and the cache of each thread: it finds a slice from its first
 * byte to its last, forgets it with its region, and never allows direct access without a direct
 * route. */
#include <limits.h>
#include <malloc.h>
#include <pthread.h>

#include "mem/lookup.h"
#include "shape_model.h"
#include "mpi/world.h"
#include "unit.h"

enum { PROCESSES = 200 };

static int one_node[PROCESSES];
static struct world the_world = {.size = PROCESSES, .rank = 1, .node_of = one_node};
const struct world *const armcii_world = &the_world;

/* Arbitrary addresses: the tests access no memory. */
static char *const there = (char *)0x10000000;
enum { BYTES = 10000 };

static void expect(int process, const char *address, size_t bytes, bool found)
{
    ck_assert_msg(armcii_is_direct(process, address, bytes) == found,
                  "%zu bytes at %p of process %d: %s", bytes, (const void *)address, process,
                  found ? "not found" : "found");
}

/* No address of the process is cached, whatever the length. */
static void expect_nothing(int process)
{
    const char *const addresses[] = {NULL,      (char *)1,         there - 1,     there,
                                     there + 1, there + BYTES - 1, there + BYTES, (char *)-1};
    const size_t lengths[] = {0, 1, 8, BYTES, (size_t)INT_MAX, (size_t)-1, (size_t)INT_MIN};
    for (size_t a = 0; a < sizeof addresses / sizeof *addresses; a++)
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
            expect(process, addresses[a], lengths[l], false);
}

/* A region on all processes; indirect: its route is not direct, so operations may be pending. */
static struct region *region_of_all(bool indirect)
{
    static int ranks[PROCESSES];
    static struct team team = {.size = PROCESSES, .rank = 1, .to_world = ranks};
    static const struct route direct = {.direct = true}, mixed = {.direct = false};
    static struct region regions[2] = {{.team = &team, .near = &direct, .far = &mixed},
                                       {.team = &team, .near = &mixed, .far = &mixed}};
    for (int i = 0; i < PROCESSES; i++)
        ranks[i] = i;
    return &regions[indirect];
}

static void add(int process, char *lo, size_t bytes)
{
    armcii_lookup_add(process, lo, bytes, region_of_all(false), true);
}

static void look(int process, const char *address)
{
    struct raddr raddr;
    ck_assert(armcii_lookup(process, address, &raddr));
    ck_assert(raddr.lo <= address && address < raddr.hi);
}

static void use(int process, char *lo, size_t bytes)
{
    add(process, lo, bytes);
    look(process, lo);
}

TEST(nothing_at_the_start)
{
    for (int p = -70; p < PROCESSES; p++)
        expect_nothing(p);
    expect_nothing(INT_MAX);
    expect_nothing(INT_MIN);
}

TEST(from_first_byte_to_last)
{
    use(5, there, BYTES);
    expect(5, there, BYTES, true);
    expect(5, there, BYTES + 1, false);
    expect(5, there + 1, BYTES, false);
    expect(5, there - 1, 1, false);
    expect(5, there - 1, 8, false);
    expect(5, there + BYTES - 1, 1, true);
    expect(5, there + BYTES - 1, 2, false);
    expect(5, there + BYTES, 1, false);
    expect(5, there + BYTES, 0, true); /* nothing is copied there */
    expect(5, there + BYTES + 1, 0, false);
    expect(5, there + 123, 0, true);
    for (int i = 0; i < BYTES; i += 7)
        expect(5, there + i, (size_t)(BYTES - i), true);
}

TEST(negative_lengths)
{
    use(5, there, BYTES);
    const int negative[] = {-1, -8, -BYTES, INT_MIN, INT_MIN + 1};
    for (size_t i = 0; i < sizeof negative / sizeof *negative; i++)
        for (int at = -16; at <= BYTES + 16; at += 4)
            expect(5, there + at, (size_t)negative[i], false);
}

/* The highest addresses that a program may have, and low ones. */
TEST(ends_of_the_address_space)
{
    char *last = (char *)(INTPTR_MAX - 100), *low = (char *)4096;
    add(7, low, 100);
    add(7, last, 100);
    look(7, last);
    expect(7, last, 100, true);
    expect(7, last + 99, 1, true);
    expect(7, last + 99, 2, false);
    expect(7, last - 1, 1, false);
    expect(7, NULL, 1, false);
    expect(7, (char *)(UINTPTR_MAX - 7), 8, false);
    expect(7, (char *)INTPTR_MIN, 1, false);
    expect(7, low, 1, false);
    look(7, low);
    expect(7, low + 50, 50, true);
    expect(7, low - 1, 1, false);
    expect(7, last, 1, true); /* by its page */
}

TEST(processes_are_apart)
{
    const int other = 5 + LAST_SLICES; /* may take the place of 5 */
    add(other, there, BYTES);
    use(5, there, BYTES);
    for (int p = -70; p < PROCESSES; p++)
        if (p != 5) expect_nothing(p);
    look(other, there);
    expect(other, there, 1, true);
    expect(5, there, 1, true); /* by its page */
    armcii_lookup_remove(5, there, region_of_all(false));
    expect_nothing(5);
    expect_nothing(other);
    look(other, there);
    expect(other, there, 1, true);
    expect_nothing(5);
}

/* A negative rank finds nothing, not even an empty entry. */
TEST(forgotten_for_good)
{
    struct raddr raddr;
    for (int p = 0; p < PROCESSES; p++) {
        use(p, there, BYTES);
        expect(p, there, BYTES, true);
        armcii_lookup_remove(p, there, region_of_all(false));
        for (int q = -LAST_SLICES; q < PROCESSES; q++)
            expect(q, there + 8, 8, false);
        expect_nothing(p);
        expect_nothing(-1);
        ck_assert(!armcii_lookup(p, there, &raddr));
    }
    for (int p = 0; p < LAST_SLICES; p++)
        use(p, there, BYTES);
    armcii_lookup_invalidate();
    for (int p = -LAST_SLICES; p < LAST_SLICES; p++)
        expect_nothing(p);
}

TEST(the_newest_stays)
{
    add(5, there, BYTES);
    add(5, there + 2 * BYTES, BYTES);
    look(5, there);
    look(5, there + 2 * BYTES);
    expect(5, there, 1, true); /* by its page */
    expect(5, there + 2 * BYTES, BYTES, true);
    use(5, there + 2 * BYTES, 10);
    expect(5, there + 2 * BYTES, 10, true);
    expect(5, there + 2 * BYTES + 10, 1, false);
    expect(5, there + 2 * BYTES, 11, false);
}

/* Programs that use many regions in turn find nearly all of them; some share an entry. */
TEST(recent_slices_by_page)
{
    enum { SLICES = 1000, EACH = 4096 };
    int found = 0;
    for (int i = 0; i < SLICES; i++)
        add(5, there + i * EACH, EACH);
    for (int i = 0; i < SLICES; i++)
        look(5, there + i * EACH);
    for (int i = 0; i < SLICES; i++) {
        found += armcii_is_direct(5, there + i * EACH + 8, EACH - 8);
        expect(5, there + i * EACH + 8, EACH, false);
        expect(6, there + i * EACH, 1, false);
    }
    ck_assert_int_ge(found, SLICES * 8 / 10);
    add(6, there, EACH); /* the index has changed */
    for (int i = 0; i < SLICES; i++)
        expect(5, there + i * EACH, 1, false);
}

/* ---- several threads ---- */

static void *use_as_another_thread(void *result)
{
    bool *right = result;
    struct raddr raddr;
    *right = !armcii_is_direct(5, there, 1) && armcii_lookup(5, there, &raddr) &&
             armcii_is_direct(5, there, 1) && armcii_lookup(6, there, &raddr) &&
             armcii_is_direct(6, there, 1);
    return NULL;
}

static void *remove_as_another_thread(void *unused)
{
    armcii_lookup_remove(5, there, region_of_all(false));
    return unused;
}

static void run(void *(*function)(void *), void *argument)
{
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, function, argument), 0);
    pthread_join(thread, NULL);
}

TEST(each_thread_has_its_own_cache)
{
    bool right = false;
    add(6, there, BYTES);
    use(5, there, BYTES);
    run(use_as_another_thread, &right);
    ck_assert(right);
    expect(5, there, 1, true);
    expect(6, there, 1, false);
}

TEST(a_free_by_another_thread_holds_for_all)
{
    use(5, there, BYTES);
    expect(5, there, 1, true);
    run(remove_as_another_thread, NULL);
    expect_nothing(5);
}

static size_t allocated(void)
{
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

TEST(a_thread_that_ends_leaves_no_memory)
{
    enum { THREADS = 50, MOST = 100000 /* bytes, less than one cache */ };
    bool right = true;
    add(6, there, BYTES);
    use(5, there, BYTES);
    run(use_as_another_thread, &right);
    const size_t before = allocated();
    for (int i = 0; i < THREADS && right; i++)
        run(use_as_another_thread, &right);
    ck_assert(right);
    ck_assert_uint_le(allocated(), before + MOST);
}

/* ---- the index updates the cache ---- */

TEST(a_lookup_enters_the_cache)
{
    struct raddr raddr;
    armcii_lookup_add(5, there, BYTES, region_of_all(false), true);
    armcii_lookup_add(6, there, BYTES, region_of_all(true), true);
    armcii_lookup_add(7, there, BYTES, region_of_all(true), false);
    expect_nothing(5);
    ck_assert(armcii_lookup(5, there + 5, &raddr));
    expect(5, there, BYTES, true);
    ck_assert(!armcii_lookup(5, there + BYTES, &raddr));
    expect(5, there + BYTES, 1, false);
    ck_assert(armcii_lookup(6, there, &raddr)); /* mapped, but operations may be pending */
    expect_nothing(6);
    ck_assert(armcii_lookup(7, there, &raddr));
    expect_nothing(7);
}

TEST(a_freed_region_leaves_the_cache)
{
    struct raddr raddr;
    armcii_lookup_add(5, there, BYTES, region_of_all(false), true);
    ck_assert(armcii_lookup(5, there, &raddr));
    armcii_lookup_remove(5, there, region_of_all(false));
    expect_nothing(5);
    ck_assert(!armcii_lookup(5, there, &raddr));
    expect_nothing(5);
    /* other memory at the same addresses */
    armcii_lookup_add(5, there, BYTES, region_of_all(false), true);
    ck_assert(armcii_lookup(5, there, &raddr));
    armcii_lookup_add(5, there, BYTES / 2, region_of_all(false), true);
    expect(5, there + 8, 8, false);
    ck_assert(armcii_lookup(5, there, &raddr));
    expect(5, there + 8, 8, true);
    expect(5, there + BYTES / 2, 1, false);
    armcii_lookup_end();
    armcii_lookup_start();
    expect_nothing(5);
}

/* The process has freed a region and allocated another one at its address before this process frees
 * the first. */
TEST(a_late_free_keeps_the_newer_region)
{
    struct region other = *region_of_all(false);
    struct raddr raddr;
    armcii_lookup_add(5, there, BYTES, region_of_all(false), true);
    armcii_lookup_add(5, there, BYTES / 2, &other, true);
    armcii_lookup_remove(5, there, region_of_all(false));
    ck_assert(armcii_lookup(5, there, &raddr));
    ck_assert_ptr_eq(raddr.region, &other);
    armcii_lookup_remove(5, there, &other);
    ck_assert(!armcii_lookup(5, there, &raddr));
}

/* Random steps: an answer is NULL, or agrees with the list of all slices. */
TEST(random_steps)
{
    enum { SLOTS = 12, SLOT = 1 << 16 };
    struct rng r = rng_start(1);
    size_t bytes[PROCESSES][SLOTS] = {{0}};
    unsigned answers = 0;
    struct raddr raddr;
    for (int step = 0; step < 200000; step++) {
        int p = rng_between(&r, 0, 9) * 16, s = rng_between(&r, 0, SLOTS - 1);
        char *at = there + s * SLOT;
        if (rng_between(&r, 0, 19) == 0 && !bytes[p][s]) {
            bytes[p][s] = (size_t)rng_between(&r, 1, SLOT);
            armcii_lookup_add(p, at, bytes[p][s], region_of_all(false), true);
        } else if (rng_between(&r, 0, 19) == 0 && bytes[p][s]) {
            armcii_lookup_remove(p, at, region_of_all(false));
            bytes[p][s] = 0;
        }
        size_t offset = (size_t)rng_between(&r, 0, SLOT - 1),
               length = (size_t)rng_between(&r, 0, 200);
        bool inside = offset < bytes[p][s] && length <= bytes[p][s] - offset;
        if (rng_between(&r, 0, 1))
            ck_assert_int_eq(armcii_lookup(p, at + offset, &raddr), offset < bytes[p][s]);
        if (!armcii_is_direct(p, at + offset, length)) continue;
        answers++;
        ck_assert_msg(inside, "step %d: %zu bytes at %zu of %zu", step, length, offset,
                      bytes[p][s]);
    }
    ck_assert_uint_gt(answers, 10000);
}

const struct unit unit = {.begin = armcii_lookup_start, .end = armcii_lookup_end};
