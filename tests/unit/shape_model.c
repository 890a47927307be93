/* shape_model.c - random transfers and their bytes, found in the plainest way. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shape_model.h"

enum { MAX_BYTES = 3000, MAX_STRIDE = 1 << 16, MARGIN = 32 };

void bytes_add(struct bytes *list, char *local, char *remote, size_t n)
{
    if (list->n + n > list->room) {
        list->room = 2 * (list->n + n);
        list->pair = realloc(list->pair, list->room * sizeof(*list->pair));
        ck_assert_ptr_nonnull(list->pair);
    }
    for (size_t i = 0; i < n; i++)
        list->pair[list->n++] = (struct pair){{local + i, remote + i}};
}

void bytes_add_shape(struct bytes *list, const struct shape *s)
{
    struct shape_iter it;
    struct segment seg;
    size_t nsegs = 0, before = list->n;
    armcii_shape_begin(&it, s);
    while (armcii_shape_next(&it, &seg)) {
        if (seg.bytes == 0) ck_abort_msg("segment %zu is empty", nsegs);
        bytes_add(list, seg.local, seg.remote, seg.bytes);
        nsegs++;
    }
    ck_assert_msg(nsegs == s->nsegs, "nsegs: expected %zu, the iterator's count, seen %zu", nsegs, s->nsegs);
    ck_assert_msg(list->n - before == s->bytes, "bytes: expected %zu, walked over, seen %zu", list->n - before,
                  s->bytes);
}

void bytes_free(struct bytes *list)
{
    free(list->pair);
    *list = (struct bytes){0};
}

/* ---- strided samples */

/* Ends of level `level` and all below relative to its first byte, with strides as asked for. */
static void extent(const struct sample *m, int side, int level, long *lo, long *hi)
{
    *lo = 0;
    *hi = m->count[0];
    for (int i = 1; i <= level; i++) {
        long way = (long)(m->count[i] - 1) * m->stride[side][i - 1];
        *(way < 0 ? lo : hi) += m->count[i] > 0 ? way : 0;
    }
}

static int random_stride(struct rng *r, const struct sample *m, int side, int level)
{
    long lo, hi;
    extent(m, side, level - 1, &lo, &hi);
    long stride = 0;
    switch (rng_between(r, 0, 6)) {
    case 0:
        stride = hi - lo;
        break; /* dense */
    case 1:
        stride = hi - lo + rng_between(r, 1, 20);
        break; /* apart */
    case 2:
        stride = level > 1 ? m->stride[side][level - 2] * rng_between(r, 1, 5) : 16;
        break; /* may nest */
    case 3:
        stride = 0;
        break;
    case 4:
        stride = rng_between(r, 1, 8);
        break; /* likely overlapping */
    case 5:
        stride = -(hi - lo) - rng_between(r, 0, 9);
        break;
    case 6:
        stride = rng_between(r, -200, 200);
        break;
    }
    return stride > MAX_STRIDE || stride < -MAX_STRIDE ? rng_between(r, -100, 100) : (int)stride;
}

static void random_strided(struct sample *m, struct rng *r)
{
    static const int first[] = {1, 2, 3, 4, 7, 8, 16, 24, 40, 100};
    bool aligned = rng_between(r, 0, 3) == 0;
    m->count[0] = rng_between(r, 0, 40) == 0 ? 0 : first[rng_between(r, 0, 9)];
    int total = m->count[0];
    for (int level = 1; level <= m->levels; level++) {
        int n = rng_between(r, 0, 60) == 0 ? 0 : rng_between(r, 1, 5);
        m->count[level] = total * n > MAX_BYTES ? 1 : n;
        total *= m->count[level];
        bool both_dense = rng_between(r, 0, 2) == 0 && total > 0;
        for (int side = 0; side < 2; side++) {
            int below = level > 1 ? m->stride[side][level - 2] : 1;
            long dense = (long)below * m->count[level - 1];
            int stride = both_dense && labs(dense) <= MAX_STRIDE ? (int)dense : random_stride(r, m, side, level);
            m->stride[side][level - 1] = aligned ? stride * 8 : stride;
        }
    }
}

/* A patch of a dense array on each side, its dimensions then shuffled, some of them walked backwards. */
static void random_patch(struct sample *m, struct rng *r)
{
    m->count[0] = rng_between(r, 1, 20);
    int total = m->count[0], dim[2] = {total, total};
    for (int level = 1; level <= m->levels; level++) {
        int n = rng_between(r, 1, 4);
        m->count[level] = total * n > MAX_BYTES ? 1 : n;
        total *= m->count[level];
        for (int side = 0; side < 2; side++) {
            m->stride[side][level - 1] = dim[side] + (dim[side] < 1 << 18 ? rng_between(r, 0, 3) : 0);
            dim[side] = m->stride[side][level - 1] * m->count[level];
        }
    }
    for (int i = m->levels - 1; i > 0; i--) {
        int j = rng_between(r, 0, i), n = m->count[i + 1];
        m->count[i + 1] = m->count[j + 1];
        m->count[j + 1] = n;
        for (int side = 0; side < 2; side++) {
            int stride = m->stride[side][i];
            m->stride[side][i] = m->stride[side][j];
            m->stride[side][j] = stride;
        }
    }
    for (int i = 0; i < m->levels; i++)
        for (int side = 0; side < 2; side++)
            m->stride[side][i] *= rng_between(r, 0, 2) == 0 ? -1 : 1;
}

/* The nested loops that a strided call stands for. */
static void nested_loops(struct sample *m, int level, char *local, char *remote)
{
    if (level == 0) {
        bytes_add(&m->expected, local, remote, (size_t)m->count[0]);
        return;
    }
    for (int i = 0; i < m->count[level]; i++)
        nested_loops(m, level - 1, local + (long)i * m->stride[0][level - 1],
                     remote + (long)i * m->stride[1][level - 1]);
}

static void describe_strided(struct sample *m)
{
    int n = snprintf(m->text, sizeof(m->text), "seed %u, levels %d, counts", m->seed, m->levels);
    for (int i = 0; i <= m->levels; i++)
        n += snprintf(m->text + n, sizeof(m->text) - (size_t)n, " %d", m->count[i]);
    for (int side = 0; side < 2; side++) {
        n += snprintf(m->text + n, sizeof(m->text) - (size_t)n, ", %s", side == SHAPE_LOCAL ? "local" : "remote");
        for (int i = 0; i < m->levels; i++)
            n += snprintf(m->text + n, sizeof(m->text) - (size_t)n, " %d", m->stride[side][i]);
    }
}

/* ---- vector samples */

static void random_vector(struct sample *m, struct rng *r)
{
    static const size_t first[] = {0, 1, 3, 8, 16, 40};
    bool aligned = rng_between(r, 0, 1);
    int n = snprintf(m->text, sizeof(m->text), "seed %u, runs of (segments x bytes)", m->seed);
    m->nruns = (size_t)rng_between(r, 1, 4);
    for (size_t i = 0; i < m->nruns; i++) {
        size_t bytes = first[rng_between(r, 0, 5)], segments = (size_t)rng_between(r, 0, 6);
        void **at[2];
        for (int side = 0; side < 2; side++) {
            at[side] = malloc((segments + 1) * sizeof(void *));
            ck_assert_ptr_nonnull(at[side]);
            for (size_t k = 0; k < segments; k++)
                at[side][k] = m->arena[side] + rng_between(r, 0, aligned ? 500 : 4000) * (aligned ? 8 : 1);
        }
        m->run[i] = (struct vector_run){at[0], at[1], bytes, segments};
        n += snprintf(m->text + n, sizeof(m->text) - (size_t)n, " %zux%zu", segments, bytes);
        for (size_t k = 0; k < segments; k++)
            bytes_add(&m->expected, at[0][k], at[1][k], bytes);
    }
}

/* ---- all samples */

static void fill_arenas(struct sample *m, struct rng *r)
{
    for (int side = 0; side < 2; side++) {
        m->arena[side] = malloc(m->size[side]);
        ck_assert_ptr_nonnull(m->arena[side]);
        for (size_t i = 0; i < m->size[side]; i++)
            m->arena[side][i] = (char)rng_between(r, -128, 127);
    }
}

static void place_strided(struct sample *m, struct rng *r)
{
    for (int side = 0; side < 2; side++) {
        long lo, hi;
        extent(m, side, m->levels, &lo, &hi);
        m->size[side] = (size_t)(hi - lo) + 2 * MARGIN;
    }
    fill_arenas(m, r);
    bool aligned = rng_between(r, 0, 1);
    for (int side = 0; side < 2; side++) {
        long lo, hi;
        extent(m, side, m->levels, &lo, &hi);
        m->base[side] = m->arena[side] - lo + (aligned ? 0 : rng_between(r, 0, MARGIN));
    }
}

void sample_create(struct sample *m, enum sample_kind kind, unsigned seed, int levels)
{
    struct rng r = rng_start(seed);
    memset(m, 0, sizeof(*m));
    m->seed = seed;
    enum shape_status status;
    if (kind == SAMPLE_VECTOR) {
        m->size[0] = m->size[1] = 4096;
        fill_arenas(m, &r);
        random_vector(m, &r);
        status = armcii_shape_vector(&m->shape, m->run, m->nruns);
    } else {
        m->levels = levels;
        kind == SAMPLE_PATCH ? random_patch(m, &r) : random_strided(m, &r);
        describe_strided(m);
        place_strided(m, &r);
        nested_loops(m, levels, m->base[0], m->base[1]);
        status = armcii_shape_strided(&m->shape, m->base[0], m->stride[0], m->base[1], m->stride[1], m->count, levels);
    }
    ck_assert_msg(status == SHAPE_OK, "%s: status: expected SHAPE_OK, seen %d", m->text, status);
}

void sample_free(struct sample *m)
{
    for (size_t i = 0; i < m->nruns; i++) {
        free((void *)m->run[i].local);
        free((void *)m->run[i].remote);
    }
    free(m->arena[0]);
    free(m->arena[1]);
    bytes_free(&m->expected);
}

bool sample_is_disjoint(const struct sample *m, enum shape_side side)
{
    bool *met = calloc(m->size[side], sizeof(*met)), disjoint = true;
    ck_assert_ptr_nonnull(met);
    for (size_t i = 0; i < m->expected.n; i++) {
        bool *here = &met[m->expected.pair[i].at[side] - m->arena[side]];
        disjoint &= !*here;
        *here = true;
    }
    free(met);
    return disjoint;
}

void check_simplest(const char *text, const struct shape *s)
{
    if (s->form == SHAPE_VECTOR) {
        ck_assert_msg(s->nsegs > 1, "%s: a vector of %zu segments", text, s->nsegs);
        return;
    }
    ck_assert_msg((s->form == SHAPE_CONTIGUOUS) == (s->levels == 0), "%s: form %d with %d levels", text, s->form,
                  s->levels);
    for (int i = 1; i <= s->levels; i++) {
        ck_assert_msg(s->count[i] > 1, "%s: level %d is left with count %zu", text, i, s->count[i]);
        bool dense = true;
        for (int side = 0; side < 2; side++) {
            ptrdiff_t unit = i > 1 ? s->stride[side][i - 2] : 1;
            dense &= s->stride[side][i - 1] == unit * (ptrdiff_t)s->count[i - 1];
        }
        ck_assert_msg(!dense, "%s: level %d continues the one below on both sides", text, i);
    }
}

void check_same_bytes(const struct sample *m, const char *what, const struct bytes *seen)
{
    ck_assert_msg(seen->n == m->expected.n, "%s: %s: expected %zu bytes, seen %zu", m->text, what, m->expected.n,
                  seen->n);
    for (size_t i = 0; i < seen->n; i++)
        for (int side = 0; side < 2; side++)
            if (seen->pair[i].at[side] != m->expected.pair[i].at[side])
                ck_abort_msg("%s: %s: byte %zu, %s: expected arena + %td, seen arena + %td", m->text, what, i,
                             side == SHAPE_LOCAL ? "local" : "remote", m->expected.pair[i].at[side] - m->arena[side],
                             seen->pair[i].at[side] - m->arena[side]);
}
