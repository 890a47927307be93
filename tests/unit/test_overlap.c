/* test_overlap.c - the overlap tree against a linear search. */
#include "shape/overlap.h"
#include "shape/shape.h"
#include "shape_model.h"
#include "unit.h"
#include "../../tools/lib/clock.h"

enum {
    MANY = 100000,
    MAX_HEIGHT = 24, /* 1.45 log2(MANY + 2) */
    SECONDS = 5      /* generous: some hundredths of a second are expected */
};

static const char *name(enum overlap_result r)
{
    return r == OVERLAP_NONE ? "none" : r == OVERLAP_FOUND ? "found" : "full";
}

static void expect(struct overlap_tree *tree, uintptr_t lo, uintptr_t hi, enum overlap_result want,
                   const char *where)
{
    enum overlap_result seen = armcii_overlap_insert(tree, lo, hi);
    if (seen != want)
        ck_abort_msg("%s: [%ju, %ju): expected %s, seen %s", where, (uintmax_t)lo, (uintmax_t)hi,
                     name(want), name(seen));
}

/* ---- random intervals against brute force ---- */

struct interval {
    uintptr_t lo, hi;
};

/* The expected result, by a search of all intervals; adds the interval if the tree must. */
static enum overlap_result brute(struct interval in[], size_t *n, size_t capacity,
                                 struct interval x)
{
    if (x.lo >= x.hi) return OVERLAP_NONE;
    for (size_t i = 0; i < *n; i++)
        if (x.lo < in[i].hi && in[i].lo < x.hi) return OVERLAP_FOUND;
    if (*n == capacity) return OVERLAP_FULL;
    in[(*n)++] = x;
    return OVERLAP_NONE;
}

TEST(random_intervals)
{
    enum { ROOM = 400 };
    size_t found = 0, full = 0;
    for (unsigned seed = 0; seed < 600; seed++) {
        struct rng r = rng_start(seed);
        struct interval in[ROOM];
        size_t n = 0, capacity = (size_t)rng_between(&r, 0, ROOM);
        int space = rng_between(&r, 1, 20000), longest = rng_between(&r, 1, 60);
        struct overlap_tree *tree = armcii_overlap_create(capacity);
        ck_assert_ptr_nonnull(tree);
        for (int i = 0; i < 2 * ROOM; i++) {
            uintptr_t lo = 1000 + (uintptr_t)rng_between(&r, 0, space);
            struct interval x = {lo, lo + (uintptr_t)rng_between(&r, -1, longest)};
            enum overlap_result want = brute(in, &n, capacity, x),
                                seen = armcii_overlap_insert(tree, x.lo, x.hi);
            if (seen != want)
                ck_abort_msg("seed %u, interval %d, [%ju, %ju): expected %s, seen %s", seed, i,
                             (uintmax_t)x.lo, (uintmax_t)x.hi, name(want), name(seen));
            found += want == OVERLAP_FOUND;
            full += want == OVERLAP_FULL;
        }
        armcii_overlap_free(tree);
    }
    ck_assert_msg(found > 1000 && full > 1000, "the samples are too easy: %zu found, %zu full",
                  found, full);
}

/* ---- many intervals in several orders ---- */

/* Place of the i-th of MANY intervals; a permutation. */
static size_t ascending(size_t i)
{
    return i;
}
static size_t descending(size_t i)
{
    return MANY - 1 - i;
}
static size_t zigzag(size_t i)
{
    return i % 2 ? MANY - 1 - i / 2 : i / 2;
}
static size_t scattered(size_t i)
{
    return i * 61803 % MANY; /* no common divisor with MANY */
}

/* Intervals of `length` bytes, one every 16 bytes: all go in, then each is found again at its first
 * and at its last byte. */
static void many(size_t (*place)(size_t), uintptr_t length, const char *where)
{
    double begin = own_time();
    struct overlap_tree *tree = armcii_overlap_create(MANY);
    ck_assert_ptr_nonnull(tree);
    for (size_t i = 0; i < MANY; i++) {
        uintptr_t lo = 4096 + 16 * place(i);
        expect(tree, lo, lo + length, OVERLAP_NONE, where);
    }
    ck_assert_msg(armcii_overlap_height(tree) <= MAX_HEIGHT,
                  "%s: height: expected at most %d, seen %d", where, MAX_HEIGHT,
                  armcii_overlap_height(tree));
    for (size_t i = 0; i < MANY; i++) {
        uintptr_t lo = 4096 + 16 * place(i);
        expect(tree, lo, lo + 1, OVERLAP_FOUND, where);
        expect(tree, lo + length - 1, lo + length, OVERLAP_FOUND, where);
        expect(tree, lo + length, lo + 16, length < 16 ? OVERLAP_FULL : OVERLAP_NONE, where);
    }
    armcii_overlap_free(tree);
    double seconds = own_time() - begin;
    ck_assert_msg(seconds < SECONDS, "%s: expected under %d s, seen %.2f s", where, SECONDS,
                  seconds);
}

TEST(a_hundred_thousand_in_any_order)
{
    many(ascending, 8, "ascending");
    many(descending, 8, "descending");
    many(zigzag, 8, "zigzag");
    many(scattered, 8, "scattered");
    many(ascending, 16, "ascending, touching");
    many(descending, 16, "descending, touching");
    many(scattered, 16, "scattered, touching");
}

TEST(a_hundred_thousand_segments_of_a_vector)
{
    void **at = malloc(MANY * sizeof(*at));
    ck_assert_ptr_nonnull(at);
    char *base = (char *)(uintptr_t)4096;
    for (size_t i = 0; i < MANY; i++)
        at[i] = base + 16 * scattered(i);
    struct vector_run run = {at, at, 16, MANY};
    struct shape s;
    double begin = own_time();
    ck_assert_int_eq(armcii_shape_vector(&s, &run, 1), SHAPE_OK);
    ck_assert(armcii_shape_is_disjoint(&s, SHAPE_REMOTE));
    at[MANY - 1] = (char *)at[MANY - 1] + 1;
    ck_assert(!armcii_shape_is_disjoint(&s, SHAPE_REMOTE));
    double seconds = own_time() - begin;
    ck_assert_msg(seconds < SECONDS, "expected under %d s, seen %.2f s", SECONDS, seconds);
    free(at);
}

/* ---- height of the tree ---- */

/* Insert 7 intervals in the order that `number` encodes; after each, the tree may be as high as an
 * AVL tree of that size. */
static void check_permutation(unsigned number)
{
    static const int highest[] = {0, 1, 2, 2, 3, 3, 3, 4};
    unsigned left[7] = {0, 1, 2, 3, 4, 5, 6}, code = number;
    struct overlap_tree *tree = armcii_overlap_create(7);
    ck_assert_ptr_nonnull(tree);
    for (unsigned n = 7; n > 0; n--) {
        unsigned pick = code % n;
        code /= n;
        expect(tree, left[pick], left[pick] + 1, OVERLAP_NONE, "permutation");
        left[pick] = left[n - 1];
        int height = armcii_overlap_height(tree), most = highest[8 - n];
        if (height > most)
            ck_abort_msg("order %u, %u intervals: height: expected at most %d, seen %d", number,
                         8 - n, most, height);
    }
    armcii_overlap_free(tree);
}

TEST(balanced_after_every_order)
{
    for (unsigned number = 0; number < 5040; number++) /* 7! */
        check_permutation(number);
}

/* ---- extremes ---- */

TEST(ends_of_the_address_space)
{
    struct overlap_tree *tree = armcii_overlap_create(2);
    ck_assert_ptr_nonnull(tree);
    expect(tree, 0, 10, OVERLAP_NONE, "the beginning");
    expect(tree, UINTPTR_MAX - 1, UINTPTR_MAX, OVERLAP_NONE, "the end");
    expect(tree, 0, UINTPTR_MAX, OVERLAP_FOUND, "everything");
    armcii_overlap_free(tree);
}

TEST(no_room_at_all)
{
    struct overlap_tree *tree = armcii_overlap_create(0);
    ck_assert_ptr_nonnull(tree);
    expect(tree, 1, 1, OVERLAP_NONE, "empty");
    expect(tree, 1, 2, OVERLAP_FULL, "no room");
    armcii_overlap_free(tree);
    armcii_overlap_free(NULL);
    ck_assert_ptr_null(armcii_overlap_create(SIZE_MAX));
    ck_assert_ptr_null(armcii_overlap_create(SIZE_MAX / 8));
}
