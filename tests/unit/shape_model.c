/* shape_model.c - random transfers and their bytes, found by counting. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tools/lib/patch.h"
#include "shape_model.h"
#include "unit.h"

enum { MAX_BYTES = 3000, ROOM = 1 << 20, MARGIN = 32 };

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
    ck_assert_msg(nsegs == s->nsegs, "nsegs: expected %zu, the iterator's count, seen %zu", nsegs,
                  s->nsegs);
    ck_assert_msg(list->n - before == s->bytes, "bytes: expected %zu, walked over, seen %zu",
                  list->n - before, s->bytes);
}

void bytes_free(struct bytes *list)
{
    free(list->pair);
    *list = (struct bytes){0};
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
                at[side][k] =
                    m->arena[side] + rng_between(r, 0, aligned ? 500 : 4000) * (aligned ? 8 : 1);
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
        rng_bytes(r, m->arena[side], m->size[side]);
    }
}

/* Move the patch so that its lowest byte is at the beginning of an arena that has room for it, or a
 * little behind. */
static void place(struct sample *m, struct patch *p, struct rng *r, int grain)
{
    for (int side = 0; side < 2; side++) {
        size_t lo = p->start[side], hi = lo, at;
        for (size_t i = 0; i < patch_segments(p); i++) {
            at = patch_offset(p, side, i);
            lo = at < lo ? at : lo;
            hi = at > hi ? at : hi;
        }
        m->size[side] = hi - lo + (size_t)p->count[0] + MARGIN;
        p->start[side] += (size_t)(rng_between(r, 0, MARGIN / grain) * grain) - lo;
    }
    fill_arenas(m, r);
}

static enum shape_status random_patch(struct sample *m, struct rng *r, enum sample_kind kind,
                                      int levels)
{
    int last = kind == SAMPLE_ANY ? PATCH_ANY : PATCH_NEGATIVE;
    int grain = rng_chance(r, 25) ? 8 : 1;
    struct patch_wish wish = {.kind = {(enum patch_kind)rng_between(r, 0, last),
                                       (enum patch_kind)rng_between(r, 0, last)},
                              .room = {ROOM, ROOM},
                              .max_bytes = MAX_BYTES,
                              .min_levels = levels,
                              .max_levels = levels,
                              .unit = grain};
    struct patch p = patch_draw(r, &wish);
    snprintf(m->text, sizeof m->text, "seed %u, %s", m->seed, patch_text(&p));
    place(m, &p, r, grain);
    for (size_t i = 0; i < patch_segments(&p); i++)
        bytes_add(&m->expected, m->arena[0] + patch_offset(&p, 0, i),
                  m->arena[1] + patch_offset(&p, 1, i), (size_t)p.count[0]);
    return armcii_shape_strided(&m->shape, m->arena[0] + p.start[0], p.stride[0],
                                m->arena[1] + p.start[1], p.stride[1], p.count, levels);
}

enum shape_status strided_in_range(struct shape *s, void *local, const int local_stride[],
                                   void *remote, const int remote_stride[], const int count[],
                                   int levels)
{
    struct shape built;
    char *lo, *hi;
    enum shape_status status =
        armcii_shape_strided(&built, local, local_stride, remote, remote_stride, count, levels);
    for (int side = 0; side < 2 && status == SHAPE_OK; side++)
        status = armcii_shape_range(&built, (enum shape_side)side, &lo, &hi);
    if (status == SHAPE_OK) *s = built;
    return status;
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
        status = random_patch(m, &r, kind, levels);
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

void on_samples(unsigned seeds, int most_levels, void (*check)(struct sample *m))
{
    static const enum sample_kind kinds[] = {SAMPLE_ANY, SAMPLE_PATCH, SAMPLE_VECTOR};
    for (unsigned seed = 0; seed < (unsigned)unit_effort((int)seeds); seed++)
        for (int k = 0; k < 3; k++) {
            struct sample m;
            sample_create(&m, kinds[k], seed, (int)(seed % (unsigned)(most_levels + 1)));
            check(&m);
            sample_free(&m);
        }
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

void check_same_bytes(const struct sample *m, const char *what, const struct bytes *seen)
{
    ck_assert_msg(seen->n == m->expected.n, "%s: %s: expected %zu bytes, seen %zu", m->text, what,
                  m->expected.n, seen->n);
    for (size_t i = 0; i < seen->n; i++)
        for (int side = 0; side < 2; side++)
            if (seen->pair[i].at[side] != m->expected.pair[i].at[side])
                ck_abort_msg("%s: %s: byte %zu, %s: expected arena + %td, seen arena + %td",
                             m->text, what, i, side == SHAPE_LOCAL ? "local" : "remote",
                             m->expected.pair[i].at[side] - m->arena[side],
                             seen->pair[i].at[side] - m->arena[side]);
}

void add_elements(enum element e, char *dst, const char *src, size_t bytes)
{
    size_t size = armcii_elements[e].align;
    for (size_t i = 0; i < bytes; i += size) {
        union {
            unsigned i;
            unsigned long l;
            float f;
            double d;
        } a, b;
        memcpy(&a, dst + i, size);
        memcpy(&b, src + i, size);
        switch (e) {
        case ELEMENT_INT: a.i += b.i; break;
        case ELEMENT_LONG: a.l += b.l; break;
        case ELEMENT_FLOAT:
        case ELEMENT_COMPLEX: a.f += b.f; break;
        default: a.d += b.d; break;
        }
        memcpy(dst + i, &a, size);
    }
}
