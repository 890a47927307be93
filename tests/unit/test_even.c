/* test_even.c - conversion of evenly spaced vectors to strided shapes. */
#include <stdint.h>

#include "shape_model.h"
#include "unit.h"

enum { MOST_SEGMENTS = 40 };

/* A vector of two runs and an empty one; its memory is never accessed. */
struct even {
    void *at[2][MOST_SEGMENTS];
    struct vector_run run[3];
    struct shape vector;
};

static void make_even(struct even *e, int n, int first, int bytes, const int stride[2])
{
    static char memory[2][2 * MOST_SEGMENTS * 64 + 64];
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < n; i++)
            e->at[side][i] = memory[side] + MOST_SEGMENTS * 64 + i * stride[side];
    e->run[0] = (struct vector_run){e->at[0], e->at[1], (size_t)bytes, (size_t)first};
    e->run[1] = (struct vector_run){NULL, NULL, 5, 0};
    e->run[2] = (struct vector_run){e->at[0] + first, e->at[1] + first, (size_t)bytes, (size_t)(n - first)};
    ck_assert_int_eq(armcii_shape_vector(&e->vector, e->run, 3), SHAPE_OK);
}

static void check_even(struct rng *r)
{
    struct even e;
    struct shape patch;
    struct bytes expected = {0}, seen = {0};
    int n = rng_between(r, 2, MOST_SEGMENTS), bytes = rng_between(r, 1, 16);
    int stride[2] = {rng_between(r, -64, 64), rng_between(r, -64, 64)};
    make_even(&e, n, rng_between(r, 0, n), bytes, stride);
    ck_assert_msg(armcii_shape_to_strided(&e.vector, &patch), "%d segments of %d bytes, strides %d, %d", n, bytes, stride[0], stride[1]);
    ck_assert_uint_eq(patch.bytes, e.vector.bytes);
    bytes_add_shape(&expected, &e.vector);
    bytes_add_shape(&seen, &patch);
    ck_assert_uint_eq(seen.n, expected.n);
    for (size_t i = 0; i < seen.n; i++)
        for (int side = 0; side < 2; side++)
            ck_assert_msg(seen.pair[i].at[side] == expected.pair[i].at[side], "byte %zu, %d x %d, side %d: expected %p, seen %p", i, n,
                          bytes, side, (void *)expected.pair[i].at[side], (void *)seen.pair[i].at[side]);
    bytes_free(&expected);
    bytes_free(&seen);
}

ROW_TEST(even_vectors_become_strided, 300)
{
    struct rng r = rng_start((uint64_t)_i);
    check_even(&r);
}

/* One address or the length of one run differs. */
ROW_TEST(uneven_vectors_stay_vectors, 300)
{
    struct rng r = rng_start((uint64_t)_i);
    struct even e;
    struct shape patch;
    int n = rng_between(&r, 3, MOST_SEGMENTS), first = rng_between(&r, 1, n - 1), side = rng_between(&r, 0, 1);
    make_even(&e, n, first, 8, (const int[2]){rng_between(&r, -64, 64), rng_between(&r, -64, 64)});
    if (rng_between(&r, 0, 3) == 0) {
        e.run[0].bytes = 7;
        armcii_shape_vector(&e.vector, e.run, 3);
    } else {
        int which = rng_between(&r, 0, n - 1);
        e.at[side][which] = (char *)e.at[side][which] + 1;
    }
    ck_assert_msg(!armcii_shape_to_strided(&e.vector, &patch), "%d segments, seed %d", n, _i);
}
