/* test_shape.c - shapes against the nested loops and lists of segments that they represent. */
#include <limits.h>

#include "shape_model.h"
#include "unit.h"

enum { SEEDS = 9 * 200 }; /* the number of levels is seed % 9 */

static const enum shape_side sides[] = {SHAPE_LOCAL, SHAPE_REMOTE};

/* A test of random samples of every kind, each as m. */
#define SAMPLE_TEST(NAME)                                                                          \
    static void NAME##_of(struct sample *m);                                                       \
    TEST(NAME)                                                                                     \
    {                                                                                              \
        on_samples(SEEDS, 8, NAME##_of);                                                           \
    }                                                                                              \
    static void NAME##_of(struct sample *m)

/* ---- iteration ---- */

SAMPLE_TEST(iterator_visits_the_bytes_of_nested_loops)
{
    struct bytes seen = {0};
    bytes_add_shape(&seen, &m->shape);
    check_same_bytes(m, "walk", &seen);
    bytes_free(&seen);
}

TEST(iterator_leaves_the_segment_alone_at_the_end)
{
    struct shape s;
    struct shape_iter it;
    char a[4], b[4];
    struct segment seg = {a, b, 99};
    armcii_shape_contiguous(&s, a, b, 0);
    armcii_shape_begin(&it, &s);
    ck_assert(!armcii_shape_next(&it, &seg));
    ck_assert(seg.local == a && seg.remote == b && seg.bytes == 99);
    armcii_shape_contiguous(&s, a, b, 4);
    armcii_shape_begin(&it, &s);
    ck_assert(armcii_shape_next(&it, &seg));
    ck_assert(seg.local == a && seg.remote == b && seg.bytes == 4);
    ck_assert(!armcii_shape_next(&it, &seg));
}

/* ---- simplest form ---- */

SAMPLE_TEST(levels_that_can_go_are_gone)
{
    check_simplest(m->text, &m->shape);
}

TEST(sixteen_levels)
{
    int count[SHAPE_MAX_LEVELS + 1], stride[SHAPE_MAX_LEVELS];
    char memory[1 << 17]; /* 2^16 bytes, every second one */
    count[0] = 1;
    for (int i = 0; i < SHAPE_MAX_LEVELS; i++) {
        count[i + 1] = 2;
        stride[i] = 1 << (SHAPE_MAX_LEVELS - i); /* the largest stride first: nothing merges */
    }
    struct shape s;
    ck_assert_int_eq(
        armcii_shape_strided(&s, memory, stride, memory, stride, count, SHAPE_MAX_LEVELS),
        SHAPE_OK);
    ck_assert_int_eq(s.levels, SHAPE_MAX_LEVELS);
    struct bytes seen = {0};
    bytes_add_shape(&seen, &s);
    ck_assert_uint_eq(seen.n, 1 << 16);
    for (size_t i = 0; i < seen.n; i++) {
        size_t at = 0; /* i with its bits reversed, times 2 */
        for (int bit = 0; bit < 16; bit++)
            at += (i >> bit & 1) << (16 - bit);
        if (seen.pair[i].at[0] != memory + at)
            ck_abort_msg("byte %zu: expected %zu, seen %td", i, at, seen.pair[i].at[0] - memory);
    }
    bytes_free(&seen);
    ck_assert(armcii_shape_is_disjoint(&s, SHAPE_LOCAL));
}

/* ---- range, disjointness, nesting, alignment ---- */

SAMPLE_TEST(range_is_that_of_all_bytes)
{
    for (int i = 0; i < 2; i++) {
        char *want_lo = NULL, *want_hi = NULL, *lo, *hi;
        for (size_t k = 0; k < m->expected.n; k++) {
            char *at = m->expected.pair[k].at[sides[i]];
            want_lo = k == 0 || at < want_lo ? at : want_lo;
            want_hi = k == 0 || at + 1 > want_hi ? at + 1 : want_hi;
        }
        ck_assert_msg(armcii_shape_range(&m->shape, sides[i], &lo, &hi) == SHAPE_OK,
                      "%s: side %d: overflow", m->text, i);
        if (m->expected.n == 0)
            ck_assert_msg(lo == hi, "%s: side %d: empty: expected lo == hi, seen %p, %p", m->text,
                          i, lo, hi);
        else
            ck_assert_msg(lo == want_lo && hi == want_hi,
                          "%s: side %d: expected [%p, %p), seen [%p, %p)", m->text, i, want_lo,
                          want_hi, lo, hi);
    }
}

/* The same bytes with the levels in the opposite order, walked backwards. */
static struct shape turned(const struct shape *s)
{
    struct shape t = *s;
    for (int level = 0; level < s->levels; level++) {
        int other = s->levels - 1 - level;
        t.count[level + 1] = s->count[other + 1];
        for (int side = 0; side < 2; side++)
            t.stride[side][level] = -s->stride[side][other];
    }
    return t;
}

SAMPLE_TEST(disjointness_is_never_claimed_wrongly)
{
    struct shape other = turned(&m->shape);
    for (int i = 0; i < 2; i++) {
        bool is = sample_is_disjoint(m, sides[i]),
             said = armcii_shape_is_disjoint(&m->shape, sides[i]);
        ck_assert_msg(is || !said, "%s: side %d overlaps itself: expected false, seen true",
                      m->text, i);
        if (m->shape.form == SHAPE_VECTOR || armcii_shape_nests(&m->shape, sides[i]))
            ck_assert_msg(is == said, "%s: side %d: expected %d, seen %d", m->text, i, is, said);
        ck_assert_msg(said == armcii_shape_is_disjoint(&other, sides[i]),
                      "%s: side %d: disjoint in one order of the levels only", m->text, i);
    }
}

TEST(patches_are_disjoint)
{
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        struct sample m;
        sample_create(&m, SAMPLE_PATCH, seed, (int)(seed % 9));
        for (int i = 0; i < 2; i++) {
            ck_assert_msg(sample_is_disjoint(&m, sides[i]), "%s: the sample itself overlaps",
                          m.text);
            ck_assert_msg(armcii_shape_is_disjoint(&m.shape, sides[i]),
                          "%s: side %d: expected true", m.text, i);
        }
        sample_free(&m);
    }
}

SAMPLE_TEST(nesting_by_definition)
{
    const struct shape *s = &m->shape;
    for (int i = 0; i < 2; i++) {
        bool want = s->form != SHAPE_VECTOR;
        ptrdiff_t extent = want ? (ptrdiff_t)s->count[0] : 0, below = 1;
        for (int level = 0; want && level < s->levels; level++) {
            ptrdiff_t stride = s->stride[sides[i]][level];
            want = stride >= extent && stride % below == 0;
            extent += ((ptrdiff_t)s->count[level + 1] - 1) * stride;
            below = stride;
        }
        bool seen = armcii_shape_nests(s, sides[i]);
        ck_assert_msg(seen == want, "%s: side %d: expected %d, seen %d", m->text, i, want, seen);
        ck_assert_msg(!seen || armcii_shape_is_disjoint(s, sides[i]),
                      "%s: side %d nests but overlaps", m->text, i);
    }
}

SAMPLE_TEST(alignment_of_every_segment)
{
    for (size_t size = 1; size <= 16; size *= 2)
        for (int i = 0; i < 2; i++) {
            bool want = true, seen = armcii_shape_is_aligned(&m->shape, sides[i], size);
            struct shape_iter it;
            struct segment seg;
            armcii_shape_begin(&it, &m->shape);
            while (armcii_shape_next(&it, &seg))
                want &= ((uintptr_t)(i == SHAPE_LOCAL ? seg.local : seg.remote) % size == 0) &&
                        seg.bytes % size == 0;
            ck_assert_msg(seen == want, "%s: side %d, unit %zu: expected %d, seen %d", m->text, i,
                          size, want, seen);
        }
}

/* ---- parts ---- */

SAMPLE_TEST(parts_are_the_shape_and_respect_the_limit)
{
    const struct shape *s = &m->shape;
    if (s->form == SHAPE_VECTOR) return;
    struct rng r = rng_start(m->seed);
    size_t limit = (size_t)rng_between(&r, 0, 1) * 500 + (size_t)rng_between(&r, 0, 150),
           position = 0, parts = 0;
    size_t most = limit < 16 ? 16 : limit;
    struct bytes seen = {0};
    struct shape part;
    while (armcii_shape_chunk(s, limit, &position, &part)) {
        size_t within = seen.n % s->count[0];
        ck_assert_msg(part.bytes > 0 && part.bytes <= most, "%s: limit %zu: part of %zu bytes",
                      m->text, limit, part.bytes);
        ck_assert_msg(within % 16 == 0, "%s: limit %zu: a segment is split at byte %zu", m->text,
                      limit, within);
        if (s->count[0] <= most)
            ck_assert_msg(within == 0, "%s: limit %zu: a segment that fits is split", m->text,
                          limit);
        check_simplest(m->text, &part);
        bytes_add_shape(&seen, &part);
        ck_assert_msg(position == seen.n, "%s: position: expected %zu, seen %zu", m->text, seen.n,
                      position);
        parts++;
    }
    check_same_bytes(m, "parts", &seen);
    bytes_free(&seen);
    if (s->bytes > 0 && most >= s->bytes)
        ck_assert_msg(parts == 1, "%s: limit %zu: all fits: expected 1 part, seen %zu", m->text,
                      limit, parts);
}

TEST(parts_take_whole_levels)
{
    static const int count[] = {10, 4, 6}, stride[] = {20, 100};
    static const size_t want[] = {90, 90, 60}; /* of 240 bytes; 40 a block, 90 hold 2 of them */
    char a[1024], b[1024];
    struct shape s, part;
    ck_assert_int_eq(armcii_shape_strided(&s, a, stride, b, stride, count, 2), SHAPE_OK);
    size_t position = 0;
    for (int i = 0; i < 3; i++) {
        ck_assert(armcii_shape_chunk(&s, 90, &position, &part));
        ck_assert_msg(part.bytes == 80 && part.levels == 2,
                      "part %d: expected 80 bytes, 2 levels, seen %zu, %d", i, part.bytes,
                      part.levels);
        ck_assert_msg(part.local == a + 200 * i, "part %d begins at %td", i, part.local - a);
    }
    ck_assert(!armcii_shape_chunk(&s, 90, &position, &part));
    armcii_shape_contiguous(&s, a, b, 240);
    position = 0;
    for (int i = 0; i < 3; i++) {
        ck_assert(armcii_shape_chunk(&s, want[0], &position, &part));
        ck_assert_uint_eq(part.bytes, 80); /* 90 rounded down to a multiple of 16 */
    }
    ck_assert(!armcii_shape_chunk(&s, want[0], &position, &part));
}

/* ---- packing ---- */

SAMPLE_TEST(pack_and_unpack_move_exactly_the_shape)
{
    size_t n = m->expected.n;
    char *buffer = malloc(n + 1), *want = malloc(m->size[SHAPE_LOCAL]);
    ck_assert(buffer != NULL && want != NULL);
    buffer[n] = 77;
    armcii_shape_pack(&m->shape, buffer);
    for (size_t k = 0; k < n; k++)
        if (buffer[k] != *m->expected.pair[k].at[SHAPE_LOCAL])
            ck_abort_msg("%s: byte %zu packed: expected %d, seen %d", m->text, k,
                         *m->expected.pair[k].at[SHAPE_LOCAL], buffer[k]);
    ck_assert_msg(buffer[n] == 77, "%s: written past the buffer", m->text);

    for (size_t k = 0; k < n; k++)
        buffer[k] = (char)(buffer[k] + 1 + (char)(k % 100));
    memcpy(want, m->arena[SHAPE_LOCAL], m->size[SHAPE_LOCAL]);
    for (size_t k = 0; k < n; k++)
        want[m->expected.pair[k].at[SHAPE_LOCAL] - m->arena[SHAPE_LOCAL]] = buffer[k];
    armcii_shape_unpack(&m->shape, buffer);
    for (size_t k = 0; k < m->size[SHAPE_LOCAL]; k++)
        if (m->arena[SHAPE_LOCAL][k] != want[k])
            ck_abort_msg("%s: arena byte %zu unpacked: expected %d, seen %d", m->text, k, want[k],
                         m->arena[SHAPE_LOCAL][k]);
    free(buffer);
    free(want);
}

SAMPLE_TEST(packed_local_side)
{
    char *buffer = malloc(m->expected.n + 1), *lo, *hi;
    ck_assert_ptr_nonnull(buffer);
    struct bytes seen = {0};
    for (size_t i = 0; i < m->expected.n; i++)
        m->expected.pair[i].at[SHAPE_LOCAL] = buffer + i;
    armcii_shape_set_packed(&m->shape, buffer);
    bytes_add_shape(&seen, &m->shape);
    check_same_bytes(m, "packed", &seen);
    check_simplest(m->text, &m->shape);
    ck_assert_msg(armcii_shape_is_disjoint(&m->shape, SHAPE_LOCAL),
                  "%s: a packed buffer overlaps itself", m->text);
    ck_assert_msg(armcii_shape_range(&m->shape, SHAPE_LOCAL, &lo, &hi) == SHAPE_OK &&
                      lo == buffer && hi == buffer + m->expected.n,
                  "%s: range: expected %p and %zu bytes, seen %p and %td", m->text, buffer,
                  m->expected.n, lo, hi - lo);
    parts_are_the_shape_and_respect_the_limit_of(m);
    bytes_free(&seen);
    free(buffer);
}

/* ---- large totals, errors ---- */

/* An address far from both ends of the address space; it is never accessed. */
static char *const far = (char *)((uintptr_t)1 << 46);

TEST(totals_beyond_4_gib)
{
    static const int dense[] = {1 << 20, 1 << 30}, count[] = {1 << 20, 1 << 10, 6};
    static const int gap[] = {1 << 20, INT_MAX};
    struct shape s, part;
    char *lo, *hi;
    ck_assert_int_eq(armcii_shape_strided(&s, far, dense, far, dense, count, 2), SHAPE_OK);
    ck_assert_uint_eq(s.bytes, (size_t)6 << 30);
    ck_assert_int_eq(s.levels, 0);
    ck_assert_uint_eq(s.count[0], (size_t)6 << 30);

    ck_assert_int_eq(armcii_shape_strided(&s, far, dense, far, gap, count, 2), SHAPE_OK);
    ck_assert_int_eq(s.levels, 1);
    ck_assert_uint_eq(s.nsegs, 6);
    ck_assert_int_eq(armcii_shape_range(&s, SHAPE_REMOTE, &lo, &hi), SHAPE_OK);
    ck_assert(lo == far && hi == far + 5 * (ptrdiff_t)INT_MAX + (1 << 30));
    armcii_shape_set_packed(&s, far);
    size_t position = 0, total = 0;
    for (int i = 0; i < 3; i++) {
        ck_assert(armcii_shape_chunk(&s, (size_t)5 << 29, &position, &part));
        ck_assert_msg(part.bytes == (size_t)2 << 30, "part %d: expected 2 GiB, seen %zu bytes", i,
                      part.bytes);
        ck_assert(part.remote == far + 2 * i * (ptrdiff_t)INT_MAX && part.local == far + total);
        total += part.bytes;
    }
    ck_assert(!armcii_shape_chunk(&s, (size_t)5 << 29, &position, &part));
    ck_assert_uint_eq(total, s.bytes);

    struct shape_iter it;
    struct segment seg;
    armcii_shape_begin(&it, &s);
    for (size_t i = 0; i < 6; i++) {
        ck_assert(armcii_shape_next(&it, &seg));
        ck_assert(seg.local == far + (i << 30) && seg.remote == far + (ptrdiff_t)i * INT_MAX);
    }
    ck_assert(!armcii_shape_next(&it, &seg));
}

TEST(wrong_arguments_are_refused)
{
    int count[SHAPE_MAX_LEVELS + 2], stride[SHAPE_MAX_LEVELS + 1];
    char a[16];
    struct shape s, before;
    for (int i = 0; i <= SHAPE_MAX_LEVELS; i++)
        count[i] = stride[i] = 1;
    count[SHAPE_MAX_LEVELS + 1] = 1;
    memset(&s, 0x5a, sizeof(s));
    before = s;
    ck_assert_int_eq(armcii_shape_strided(&s, a, stride, a, stride, count, -1), SHAPE_BAD_LEVELS);
    ck_assert_int_eq(armcii_shape_strided(&s, a, stride, a, stride, count, SHAPE_MAX_LEVELS + 1),
                     SHAPE_BAD_LEVELS);
    for (int i = 0; i <= SHAPE_MAX_LEVELS; i++) {
        count[i] = -1;
        ck_assert_int_eq(armcii_shape_strided(&s, a, stride, a, stride, count, SHAPE_MAX_LEVELS),
                         SHAPE_BAD_COUNT);
        count[0] = i == 0 ? -1 : 0; /* also where another count is 0 */
        ck_assert_int_eq(armcii_shape_strided(&s, a, stride, a, stride, count, SHAPE_MAX_LEVELS),
                         SHAPE_BAD_COUNT);
        count[i] = count[0] = 1;
    }
    for (int i = 0; i < 3; i++)
        count[i] = 1 << 21; /* 2^63 bytes */
    stride[0] = stride[1] = 0;
    ck_assert_int_eq(armcii_shape_strided(&s, a, stride, a, stride, count, 2), SHAPE_OVERFLOW);
    ck_assert_msg(memcmp(&s, &before, sizeof(s)) == 0,
                  "the shape was written although the arguments are wrong");
    count[0] = 1 << 20; /* 2^62 bytes are fine, on one spot */
    ck_assert_int_eq(armcii_shape_strided(&s, a, stride, a, stride, count, 2), SHAPE_OK);
    ck_assert_uint_eq(s.bytes, (size_t)1 << 62);
}

TEST(addresses_outside_the_address_space_are_refused)
{
    static const int count[] = {8, 3}, up[] = {1 << 30}, down[] = {-(1 << 30)};
    char *top = (char *)(UINTPTR_MAX - 100), *bottom = (char *)100, *lo = top, *hi = bottom;
    struct shape s;
    ck_assert_int_eq(strided_in_range(&s, top, up, far, up, count, 1), SHAPE_OVERFLOW);
    ck_assert_int_eq(strided_in_range(&s, far, up, top, up, count, 1), SHAPE_OVERFLOW);
    ck_assert_int_eq(strided_in_range(&s, bottom, down, far, up, count, 1), SHAPE_OVERFLOW);
    ck_assert_int_eq(strided_in_range(&s, far, up, bottom, down, count, 1), SHAPE_OVERFLOW);
    ck_assert_int_eq(strided_in_range(&s, bottom, up, top, down, count, 1), SHAPE_OK);
    armcii_shape_contiguous(&s, top, bottom, 101);
    ck_assert_int_eq(armcii_shape_range(&s, SHAPE_LOCAL, &lo, &hi), SHAPE_OVERFLOW);
    ck_assert_msg(lo == top && hi == bottom,
                  "the outputs were written although the range overflows");
    armcii_shape_contiguous(&s, bottom, bottom, SIZE_MAX / 2 + 1);
    ck_assert_int_eq(armcii_shape_range(&s, SHAPE_LOCAL, &lo, &hi), SHAPE_OVERFLOW);

    void *wild[] = {top, far}, *tame[] = {far, far + 8};
    struct vector_run run = {wild, tame, 200, 2};
    ck_assert_int_eq(armcii_shape_vector(&s, &run, 1), SHAPE_OK);
    ck_assert_int_eq(armcii_shape_range(&s, SHAPE_LOCAL, &lo, &hi), SHAPE_OVERFLOW);
    ck_assert_int_eq(armcii_shape_range(&s, SHAPE_REMOTE, &lo, &hi), SHAPE_OK);
    ck_assert(lo == far && hi == far + 208);
    ck_assert(!armcii_shape_is_disjoint(&s, SHAPE_LOCAL));
}

TEST(vectors_with_little_or_too_much_in_them)
{
    char a[64], b[64];
    void *at[] = {a, a + 8}, *to[] = {b, b + 8};
    struct shape s;
    ck_assert_int_eq(armcii_shape_vector(&s, NULL, 0), SHAPE_OK);
    ck_assert(s.form == SHAPE_CONTIGUOUS && s.bytes == 0 && s.nsegs == 0);
    struct vector_run run[] = {
        {NULL, NULL, 8, 0}, {at, to, 0, 2}, {at + 1, to + 1, 8, 1}, {NULL, NULL, 8, 0}};
    ck_assert_int_eq(armcii_shape_vector(&s, run, 2), SHAPE_OK);
    ck_assert(s.form == SHAPE_CONTIGUOUS && s.bytes == 0 && s.nsegs == 0);
    ck_assert_int_eq(armcii_shape_vector(&s, run, 4), SHAPE_OK);
    ck_assert(s.form == SHAPE_CONTIGUOUS && s.bytes == 8 && s.nsegs == 1 && s.local == a + 8 &&
              s.remote == b + 8);
    run[3] = (struct vector_run){at, to, SIZE_MAX / 4, 2};
    ck_assert_int_eq(armcii_shape_vector(&s, run, 4), SHAPE_OVERFLOW);
    run[2].n = 0;
    ck_assert_int_eq(armcii_shape_vector(&s, run, 4), SHAPE_OK);
    run[3].n = 3;
    ck_assert_int_eq(armcii_shape_vector(&s, run, 4), SHAPE_OVERFLOW);
    ck_assert_msg(s.bytes == SIZE_MAX / 4 * 2, "the shape was written although it overflows");
}

/* ---- conversion of evenly spaced vectors to strided shapes ---- */

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
    e->run[2] =
        (struct vector_run){e->at[0] + first, e->at[1] + first, (size_t)bytes, (size_t)(n - first)};
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
    ck_assert_msg(armcii_shape_to_strided(&e.vector, &patch),
                  "%d segments of %d bytes, strides %d, %d", n, bytes, stride[0], stride[1]);
    ck_assert_uint_eq(patch.bytes, e.vector.bytes);
    bytes_add_shape(&expected, &e.vector);
    bytes_add_shape(&seen, &patch);
    ck_assert_uint_eq(seen.n, expected.n);
    for (size_t i = 0; i < seen.n; i++)
        for (int side = 0; side < 2; side++)
            ck_assert_msg(seen.pair[i].at[side] == expected.pair[i].at[side],
                          "byte %zu, %d x %d, side %d: expected %p, seen %p", i, n, bytes, side,
                          (void *)expected.pair[i].at[side], (void *)seen.pair[i].at[side]);
    bytes_free(&expected);
    bytes_free(&seen);
}

TEST(even_vectors_become_strided)
{
    for (unsigned seed = 0; seed < 300; seed++) {
        struct rng r = rng_start(seed);
        check_even(&r);
    }
}

/* One address or the length of one run differs. */
static void check_uneven(unsigned seed)
{
    struct rng r = rng_start(seed);
    struct even e;
    struct shape patch;
    int n = rng_between(&r, 3, MOST_SEGMENTS), first = rng_between(&r, 1, n - 1),
        side = rng_between(&r, 0, 1);
    make_even(&e, n, first, 8, (const int[2]){rng_between(&r, -64, 64), rng_between(&r, -64, 64)});
    if (rng_between(&r, 0, 3) == 0) {
        e.run[0].bytes = 7;
        armcii_shape_vector(&e.vector, e.run, 3);
    } else {
        int which = rng_between(&r, 0, n - 1);
        e.at[side][which] = (char *)e.at[side][which] + 1;
    }
    ck_assert_msg(!armcii_shape_to_strided(&e.vector, &patch), "%d segments, seed %u", n, seed);
}

TEST(uneven_vectors_stay_vectors)
{
    for (unsigned seed = 0; seed < 300; seed++)
        check_uneven(seed);
}
