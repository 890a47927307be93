/* test_reference.c - reference accumulate and replay shapes of the verification. */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "unit.h"
#include "observe/verify.h"

TEST(integers_wrap)
{
    int a[2] = {INT_MAX, 5}, b[2] = {1, -7};
    long c[2] = {LONG_MAX, 5}, d[2] = {1, -7};
    armcii_reference_add(ELEMENT_INT, (char *)a, (const char *)b, sizeof a);
    armcii_reference_add(ELEMENT_LONG, (char *)c, (const char *)d, sizeof c);
    ck_assert_int_eq(a[0], INT_MIN);
    ck_assert_int_eq(a[1], -2);
    ck_assert(c[0] == LONG_MIN && c[1] == -2);
}

TEST(reals_at_any_address)
{
    char memory[41], addend[41];
    double values[3] = {1.5, -2, 1e300}, more[3] = {0.25, 2, 1e300}, seen[3];
    memcpy(memory + 1, values, sizeof values);
    memcpy(addend + 3, more, sizeof more);
    armcii_reference_add(ELEMENT_DCOMPLEX, memory + 1, addend + 3, sizeof values);
    memcpy(seen, memory + 1, sizeof seen);
    ck_assert(seen[0] == 1.75 && seen[1] == 0 && seen[2] == 2e300);
    float f[2] = {16777216, 0.1f}, g[2] = {1, 0.2f};
    armcii_reference_add(ELEMENT_COMPLEX, (char *)f, (const char *)g, sizeof f);
    ck_assert(f[0] == 16777216.0f && f[1] == 0.1f + 0.2f);
}

TEST(compare_finds_the_first_wrong_number)
{
    double expected[4] = {1, 2, 3, 4}, seen[4] = {1, 2, 3.5, 5};
    ck_assert_uint_eq(armcii_reference_compare(ELEMENT_DOUBLE, (char *)seen, (char *)expected, sizeof seen, 0), 2 * sizeof(double));
    ck_assert_uint_eq(armcii_reference_compare(ELEMENT_DOUBLE, (char *)seen, (char *)expected, 2 * sizeof(double), 0), 2 * sizeof(double));
    ck_assert_uint_eq(armcii_reference_compare(ELEMENT_LONG, (char *)seen, (char *)expected, sizeof seen, 1e300), 2 * sizeof(long));
}

TEST(compare_allows_rounding_only)
{
    double expected[1] = {100}, seen[1] = {nextafter(100, 200)}, wrong[1] = {100.001};
    ck_assert_uint_eq(armcii_reference_compare(ELEMENT_DOUBLE, (char *)seen, (char *)expected, sizeof seen, 0), 0);
    ck_assert_uint_eq(armcii_reference_compare(ELEMENT_DOUBLE, (char *)seen, (char *)expected, sizeof seen, 400), sizeof seen);
    ck_assert_uint_eq(armcii_reference_compare(ELEMENT_DOUBLE, (char *)wrong, (char *)expected, sizeof seen, 400), 0);
}

TEST(any_number_matches_a_nonfinite_one)
{
    double expected[2] = {NAN, INFINITY}, seen[2] = {0, 1};
    ck_assert_uint_eq(armcii_reference_compare(ELEMENT_DOUBLE, (char *)seen, (char *)expected, sizeof seen, 0), sizeof seen);
    ck_assert_uint_eq(armcii_reference_compare(ELEMENT_DOUBLE, (char *)expected, (char *)seen, sizeof seen, 4), 0);
}

TEST(largest)
{
    float f[3] = {1, -7.5f, 3};
    ck_assert(armcii_reference_largest(ELEMENT_FLOAT, (char *)f, sizeof f) == 7.5);
    f[1] = NAN;
    ck_assert(!(armcii_reference_largest(ELEMENT_FLOAT, (char *)f, sizeof f) <= 7.5));
}

/* ---- replay shapes ---- */

enum { ROOM = 16384 };
static _Alignas(64) char room[ROOM];
static _Alignas(64) char far_local[1 << 20], far_remote[1 << 20];

/* Segment by segment: the same lengths and distances, within the room, as far from a multiple of 64. */
static void check_moved(const struct replay_shape *w, const struct shape *s)
{
    struct shape_iter a, b;
    struct segment was, is;
    ptrdiff_t remote = 0, local = 0;
    armcii_shape_begin(&a, s);
    armcii_shape_begin(&b, &w->shape);
    for (size_t i = 0; armcii_shape_next(&b, &is); i++) {
        ck_assert(armcii_shape_next(&a, &was));
        ck_assert(is.bytes <= was.bytes);
        if (i == 0) remote = is.remote - was.remote, local = is.local - was.local;
        ck_assert(is.remote - was.remote == remote && is.local - was.local == local);
        ck_assert(is.remote >= room && is.remote + is.bytes <= room + ROOM);
        ck_assert(is.local >= w->local && is.local + is.bytes <= w->local + w->local_bytes);
    }
    ck_assert(remote % 64 == 0 && local % 64 == 0);
}

TEST(strided_keeps_its_layout)
{
    struct replay_shape w;
    struct shape s;
    ck_assert(!armcii_shape_strided(&s, far_local + 5, (int[]){100, 1000}, far_remote + 8, (int[]){48, -2000}, (int[]){24, 7, 3}, 2));
    ck_assert(armcii_replay_shape_make(&w, &s, room, ROOM));
    ck_assert_uint_eq(w.shape.bytes, s.bytes);
    ck_assert_uint_eq(w.shape.nsegs, s.nsegs);
    check_moved(&w, &s);
    armcii_replay_shape_free(&w);
}

TEST(large_shapes_are_truncated)
{
    struct replay_shape w;
    struct shape s;
    ck_assert(!armcii_shape_strided(&s, far_local, (int[]){40, 4000}, far_remote + 16, (int[]){512, 60000}, (int[]){40, 99, 9}, 2));
    ck_assert(armcii_replay_shape_make(&w, &s, room, ROOM));
    ck_assert(w.shape.bytes > 0 && w.shape.bytes < s.bytes && w.shape.bytes % 40 == 0);
    check_moved(&w, &s);
    armcii_replay_shape_free(&w);
    armcii_shape_contiguous(&s, far_local + 3, far_remote + 1, 1 << 19);
    ck_assert(armcii_replay_shape_make(&w, &s, room, ROOM));
    ck_assert(w.shape.bytes >= ROOM / 4 && w.shape.bytes < ROOM);
    check_moved(&w, &s);
    armcii_replay_shape_free(&w);
}

TEST(vectors_keep_their_layout_or_are_truncated)
{
    enum { N = 40 };
    void *local[N], *remote[N];
    struct vector_run runs[2] = {{local, remote, 24, N / 2}, {local + N / 2, remote + N / 2, 8, N / 2}};
    struct replay_shape w;
    struct shape s;
    for (int step = 64; step <= 8192; step *= 128) {
        for (int i = 0; i < N; i++)
            local[i] = far_local + 30 * (N - i), remote[i] = far_remote + 8 + step * i;
        ck_assert(!armcii_shape_vector(&s, runs, 2));
        ck_assert(armcii_replay_shape_make(&w, &s, room, ROOM));
        ck_assert_uint_eq(w.shape.nsegs, step == 64 ? N : 2);
        check_moved(&w, &s);
        armcii_replay_shape_free(&w);
    }
}
