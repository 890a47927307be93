/* test_copy.c - copies by load and store against memmove, piece by piece and segment by segment. */
#include "shape/copy.h"
#include "shape_model.h"
#include "unit.h"

enum { PIECE = 300, OFFSETS = 64, SEEDS = 9 * 200, STREAM = 16 << 20 };

static const enum shape_side sides[] = {SHAPE_LOCAL, SHAPE_REMOTE};

static void fill(char *at, size_t bytes, uint64_t seed)
{
    struct rng r = rng_start(seed);
    rng_bytes(&r, at, bytes);
}

/* ---- one piece ---- */

TEST(every_size_at_every_offset)
{
    enum { SIZE = PIECE + OFFSETS + 1 };
    char src[SIZE], seen[SIZE], want[SIZE], before[SIZE];
    fill(src, SIZE, 1);
    fill(before, SIZE, 2);
    for (size_t bytes = 0; bytes <= PIECE; bytes++)
        for (size_t from = 0; from < OFFSETS; from++)
            for (size_t to = 0; to < OFFSETS; to++) {
                memcpy(seen, before, SIZE);
                memcpy(want, before, SIZE);
                memcpy(want + to, src + from, bytes);
                armcii_copy(seen + to, src + from, bytes);
                if (memcmp(seen, want, SIZE) != 0)
                    ck_abort_msg("%zu bytes from offset %zu to offset %zu: not as memcpy", bytes,
                                 from, to);
            }
}

TEST(pieces_that_overlap_themselves)
{
    enum { SHIFT = 80, SIZE = PIECE + 2 * SHIFT };
    char seen[SIZE], want[SIZE];
    for (size_t bytes = 0; bytes <= PIECE; bytes++)
        for (size_t to = 0; to <= 2 * SHIFT; to++) {
            fill(want, SIZE, bytes);
            memcpy(seen, want, SIZE);
            memmove(want + to, want + SHIFT, bytes);
            armcii_copy(seen + to, seen + SHIFT, bytes);
            if (memcmp(seen, want, SIZE) != 0)
                ck_abort_msg("%zu bytes by %td: not as memmove", bytes, (ptrdiff_t)to - SHIFT);
        }
}

static void check_untouched(const char *at, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        if (at[i] != 77) ck_abort_msg("byte %zu is written", i);
}

TEST(long_pieces)
{
    static const size_t size[] = {STREAM - 1,  STREAM,      STREAM + 1,
                                  STREAM + 63, STREAM + 64, STREAM + 8191};
    static const size_t offset[] = {0, 1, 17, 63, 64};
    enum { ROOM = STREAM + 8192 + OFFSETS };
    char *src = malloc(ROOM), *dst = malloc(ROOM);
    ck_assert(src != NULL && dst != NULL);
    fill(src, ROOM, 3);
    for (size_t i = 0; i < sizeof(size) / sizeof(size[0]); i++)
        for (size_t k = 0; k < sizeof(offset) / sizeof(offset[0]); k++) {
            size_t from = offset[(i + k) % 5], to = offset[k];
            memset(dst, 77, ROOM);
            armcii_copy(dst + to, src + from, size[i]);
            ck_assert_msg(memcmp(dst + to, src + from, size[i]) == 0,
                          "%zu bytes from offset %zu to offset %zu", size[i], from, to);
            check_untouched(dst, 0, to);
            check_untouched(dst, to + size[i], ROOM);
        }
    free(src);
    free(dst);
}

TEST(long_pieces_that_overlap_themselves)
{
    static const ptrdiff_t shift[] = {0, 1, -1, 64, -64, 4096, -4096, STREAM - 1, 1 - STREAM};
    enum { ROOM = 3 * STREAM };
    char *seen = malloc(ROOM), *want = malloc(ROOM);
    ck_assert(seen != NULL && want != NULL);
    fill(want, ROOM, 4);
    memcpy(seen, want, ROOM);
    for (size_t i = 0; i < sizeof(shift) / sizeof(shift[0]); i++) {
        memmove(want + STREAM + shift[i], want + STREAM, STREAM);
        armcii_copy(seen + STREAM + shift[i], seen + STREAM, STREAM);
        ck_assert_msg(memcmp(seen, want, ROOM) == 0, "%d bytes by %td: not as memmove", STREAM,
                      shift[i]);
    }
    free(seen);
    free(want);
}

/* ---- shapes between two memories, against the list of their bytes ---- */

static char *duplicate(const char *at, size_t bytes)
{
    char *copy = malloc(bytes);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, at, bytes);
    return copy;
}

static void check_sample(struct sample *m, enum shape_side to)
{
    char *want[2];
    for (int side = 0; side < 2; side++)
        want[side] = duplicate(m->arena[side], m->size[side]);
    for (size_t i = 0; i < m->expected.n; i++) {
        const struct pair *p = &m->expected.pair[i];
        want[to][p->at[to] - m->arena[to]] = want[!to][p->at[!to] - m->arena[!to]];
    }
    armcii_copy_shape(&m->shape, to);
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < m->size[side]; i++)
            if (m->arena[side][i] != want[side][i])
                ck_abort_msg("%s: to %s: byte %zu of %s: expected %d, seen %d", m->text,
                             to == SHAPE_LOCAL ? "local" : "remote", i,
                             side == SHAPE_LOCAL ? "local" : "remote", want[side][i],
                             m->arena[side][i]);
    free(want[0]);
    free(want[1]);
}

static void check_both_ways(struct sample *m)
{
    check_sample(m, SHAPE_LOCAL);
    check_sample(m, SHAPE_REMOTE);
}

TEST(shapes_between_two_memories)
{
    on_samples(SEEDS, 8, check_both_ways);
}

/* ---- shapes in one memory, against memmove of each segment ---- */

enum { ROOM = 1 << 16, MIDDLE = ROOM / 2 };
static char memory[ROOM];

static void model_copy(const struct shape *s, enum shape_side to)
{
    struct shape_iter it;
    struct segment seg;
    armcii_shape_begin(&it, s);
    while (armcii_shape_next(&it, &seg))
        memmove(to == SHAPE_REMOTE ? seg.remote : seg.local,
                to == SHAPE_REMOTE ? seg.local : seg.remote, seg.bytes);
}

/* Both directions from the same contents of the memory. */
static void check_in_memory(const struct shape *s, const char *what, int number)
{
    static char seen[ROOM], before[ROOM];
    for (int i = 0; i < 2; i++) {
        memcpy(before, memory, ROOM);
        armcii_copy_shape(s, sides[i]);
        memcpy(seen, memory, ROOM);
        memcpy(memory, before, ROOM);
        model_copy(s, sides[i]);
        for (size_t at = 0; at < ROOM; at++)
            if (seen[at] != memory[at])
                ck_abort_msg("%s %d, to %s: byte %zu: expected %d, seen %d", what, number,
                             sides[i] == SHAPE_LOCAL ? "local" : "remote", at, memory[at],
                             seen[at]);
    }
}

TEST(rows_of_every_length)
{
    fill(memory, ROOM, 5);
    for (int bytes = 1; bytes <= PIECE; bytes++)
        for (int levels = 1; levels <= 4; levels++) {
            const int count[] = {bytes, 3, 2, 3, 2};
            int local_stride[4], remote_stride[4];
            for (int i = 0, local = bytes + 1, remote = bytes + 8; i < 4; i++) {
                local_stride[i] = local;
                remote_stride[i] = remote;
                local = local * count[i + 1] + 3;
                remote = remote * count[i + 1] + 16;
            }
            struct shape s;
            ck_assert_int_eq(armcii_shape_strided(&s, memory + 5, local_stride, memory + MIDDLE,
                                                  remote_stride, count, levels),
                             SHAPE_OK);
            check_in_memory(&s, "bytes", bytes);
        }
}

TEST(strided_within_one_memory)
{
    fill(memory, ROOM, 6);
    for (int seed = 0; seed < unit_effort(4000); seed++) {
        struct rng r = rng_start((uint64_t)seed);
        int count[6], stride[2][5], levels = rng_between(&r, 0, 5);
        for (int i = 0; i <= levels; i++)
            count[i] = i == 0 ? rng_between(&r, 1, 80) : rng_between(&r, 1, 5);
        for (int side = 0; side < 2; side++)
            for (int i = 0; i < levels; i++)
                stride[side][i] =
                    rng_between(&r, 0, 3) == 0 ? count[0] : rng_between(&r, -100, 100);
        struct shape s;
        ck_assert_int_eq(armcii_shape_strided(&s, memory + MIDDLE + rng_between(&r, -100, 100),
                                              stride[0], memory + MIDDLE, stride[1], count, levels),
                         SHAPE_OK);
        check_in_memory(&s, "seed", seed);
    }
}

/* Runs of up to 20 segments anywhere in the lower part of the memory. */
enum { RUNS = 3, SEGMENTS = 20, LOWER = 2000 };
struct random_runs {
    struct vector_run run[RUNS];
    void *local[RUNS][SEGMENTS], *remote[RUNS][SEGMENTS];
};

static void random_runs(struct random_runs *v, struct rng *r)
{
    for (int k = 0; k < RUNS; k++) {
        for (int i = 0; i < SEGMENTS; i++) {
            v->local[k][i] = memory + rng_between(r, 0, LOWER);
            v->remote[k][i] = memory + rng_between(r, 0, LOWER);
        }
        size_t bytes = rng_between(r, 0, 3) == 0 ? 8 : (size_t)rng_between(r, 0, 100);
        v->run[k] = (struct vector_run){v->local[k], v->remote[k], bytes,
                                        (size_t)rng_between(r, 0, SEGMENTS)};
    }
}

TEST(vectors_within_one_memory)
{
    fill(memory, ROOM, 7);
    for (int seed = 0; seed < unit_effort(4000); seed++) {
        struct rng r = rng_start((uint64_t)seed);
        struct random_runs v;
        struct shape s;
        random_runs(&v, &r);
        ck_assert_int_eq(armcii_shape_vector(&s, v.run, RUNS), SHAPE_OK);
        check_in_memory(&s, "seed", seed);
    }
}

TEST(packed_shapes)
{
    fill(memory, ROOM, 8);
    for (int seed = 0; seed < 2000; seed++) {
        struct rng r = rng_start((uint64_t)seed);
        struct random_runs v;
        struct shape s;
        random_runs(&v, &r);
        ck_assert_int_eq(armcii_shape_vector(&s, v.run, RUNS), SHAPE_OK);
        armcii_shape_set_packed(&s, memory + MIDDLE);
        check_in_memory(&s, "vector", seed);

        const int count[] = {rng_between(&r, 1, 70), 3, 2, 4}, stride[] = {90, 300, 800};
        ck_assert_int_eq(armcii_shape_strided(&s, memory, stride, memory, stride, count, 3),
                         SHAPE_OK);
        armcii_shape_set_packed(&s, memory + MIDDLE);
        check_in_memory(&s, "strided", seed);
    }
}

TEST(nothing_to_copy)
{
    const int count[] = {0, 3}, stride[] = {8};
    struct vector_run run[] = {{NULL, NULL, 8, 0}, {NULL, NULL, 0, 3}};
    struct shape s;
    fill(memory, ROOM, 9);
    armcii_shape_contiguous(&s, NULL, NULL, 0);
    check_in_memory(&s, "contiguous", 0);
    ck_assert_int_eq(armcii_shape_strided(&s, memory, stride, memory, stride, count, 1), SHAPE_OK);
    check_in_memory(&s, "strided", 0);
    ck_assert_int_eq(armcii_shape_vector(&s, run, 2), SHAPE_OK);
    check_in_memory(&s, "vector", 0);
}
