/* test_pool.c - suballocation: random allocations against a map of what is in use. */
#include "../../tools/lib/rng.h"
#include "base/pool.h"
#include "unit.h"

enum { UNIT = 64, UNITS = 4096, BLOCKS = 300 };

static struct pool pool;
static unsigned char owner[UNITS]; /* 0: free */
static struct rng numbers;

static void begin(void)
{
    memset(&pool, 0, sizeof pool);
    memset(owner, 0, sizeof owner);
    armcii_pool_free(&pool, 0, (size_t)UNITS * UNIT);
}

static void end(void)
{
    armcii_pool_clear(&pool);
    ck_assert_uint_eq(pool.count, 0);
}

struct block {
    size_t offset, bytes;
};

/* Every unit changes from free to in use, or back. */
static void set_owner(const struct block *b, unsigned char before, unsigned char after)
{
    for (size_t i = b->offset / UNIT; i < (b->offset + b->bytes) / UNIT; i++) {
        ck_assert_uint_eq(owner[i], before);
        owner[i] = after;
    }
}

static size_t longest_free_run(void)
{
    size_t run = 0, longest = 0;
    for (size_t i = 0; i < UNITS; i++) {
        run = owner[i] ? 0 : run + 1;
        if (run > longest) longest = run;
    }
    return longest * UNIT;
}

static void allocate(struct block *b)
{
    size_t alignment = (size_t)UNIT << rng_below(&numbers, 5);
    b->bytes = UNIT * (size_t)rng_between(&numbers, 1, 60);
    b->offset = armcii_pool_alloc(&pool, b->bytes, alignment);
    if (b->offset == POOL_FULL) {
        ck_assert_uint_lt(longest_free_run(), b->bytes + alignment - UNIT);
        b->bytes = 0;
        return;
    }
    ck_assert_uint_eq(b->offset % alignment, 0);
    ck_assert_uint_le(b->offset + b->bytes, sizeof owner * UNIT);
    set_owner(b, 0, 1);
}

static void release(struct block *b)
{
    if (b->bytes == 0) return;
    set_owner(b, 1, 0);
    armcii_pool_free(&pool, b->offset, b->bytes);
    b->bytes = 0;
}

TEST(blocks_are_disjoint_and_free_ranges_join)
{
    struct block blocks[BLOCKS] = {{0}};
    for (int step = 0; step < 20000; step++) {
        struct block *b = &blocks[rng_below(&numbers, BLOCKS)];
        if (b->bytes)
            release(b);
        else
            allocate(b);
    }
    for (int i = 0; i < BLOCKS; i++)
        release(&blocks[i]);
    ck_assert_uint_eq(pool.count, 1);
    ck_assert_uint_eq(pool.free[0].bytes, (size_t)UNITS * UNIT);
}

TEST(the_same_calls_give_the_same_offsets)
{
    struct pool other = {0};
    armcii_pool_free(&other, 0, (size_t)UNITS * UNIT);
    for (int i = 0; i < 50; i++)
        ck_assert_uint_eq(armcii_pool_alloc(&other, 640, 128), armcii_pool_alloc(&pool, 640, 128));
    armcii_pool_clear(&other);
}

/* The index's lists descend, and grow at their end only if new allocations are below older
 * ones. */
TEST(new_allocations_are_below_older_ones)
{
    size_t last = armcii_pool_alloc(&pool, UNIT, UNIT);
    for (int i = 1; i < UNITS; i++) {
        size_t offset = armcii_pool_alloc(&pool, UNIT, UNIT);
        ck_assert_uint_lt(offset, last);
        last = offset;
    }
    ck_assert_uint_eq(armcii_pool_alloc(&pool, UNIT, UNIT), POOL_FULL);
}

TEST(added_ranges_join)
{
    armcii_pool_free(&pool, (size_t)UNITS * UNIT, 4096);
    armcii_pool_free(&pool, (size_t)UNITS * UNIT + 8192, 4096);
    ck_assert_uint_eq(pool.count, 2);
    armcii_pool_free(&pool, (size_t)UNITS * UNIT + 4096, 4096);
    ck_assert_uint_eq(pool.count, 1);
    ck_assert_uint_eq(armcii_pool_alloc(&pool, (size_t)UNITS * UNIT + 3 * 4096, UNIT), 0);
}

const struct unit unit = {.begin = begin, .end = end};
