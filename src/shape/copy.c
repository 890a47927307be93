/* copy.c - a whole transfer by load and store. Strided: two nested loops over the rows and planes
 * of the lowest levels, with a constant row length if it is a common short one; an index walks the
 * levels above. Packing and unpacking are copies of the local side. */
#include <stdbool.h>

#include "shape/copy.h"

/* ---- strided ---- */

/* What copies rows of more than 64 bytes. */
typedef void copy_function(void *dst, const void *src, size_t bytes);
static copy_function *long_copy_to(enum shape_side to)
{
    return to == SHAPE_LOCAL ? armcii_load_long : armcii_copy_long;
}

/* Planes of rows of `bytes` bytes. */
struct patch {
    copy_function *copy_long;
    char *dst;
    const char *src;
    size_t bytes, rows, planes;
    ptrdiff_t dst_stride[2], src_stride[2]; /* of rows, of planes */
};

static inline __attribute__((always_inline)) void copy_rows(const struct patch *p, size_t bytes)
{
    const ptrdiff_t rows = (ptrdiff_t)p->rows, dst_stride = p->dst_stride[0],
                    src_stride = p->src_stride[0];
    for (ptrdiff_t plane = 0; plane < (ptrdiff_t)p->planes; plane++) {
        char *dst = p->dst + plane * p->dst_stride[1];
        const char *src = p->src + plane * p->src_stride[1];
        for (ptrdiff_t row = 0; row < rows; row++)
            armcii_copy_by(p->copy_long, dst + row * dst_stride, src + row * src_stride, bytes);
    }
}

/* One loop for each common length, and one for all others. */
static void copy_patch(const struct patch *p)
{
    switch (p->bytes) {
    case 4: copy_rows(p, 4); break;
    case 8: copy_rows(p, 8); break;
    case 16: copy_rows(p, 16); break;
    case 32: copy_rows(p, 32); break;
    case 64: copy_rows(p, 64); break;
    default: copy_rows(p, p->bytes);
    }
}

/* The levels above a row: counts and strides. */
struct levels {
    int n;
    const size_t *count;
    const ptrdiff_t *dst_stride, *src_stride;
};

/* Moves to the next patch; returns false, back at the first patch, after the last. */
static bool step(const struct levels *l, size_t index[], struct patch *p)
{
    for (int i = 2; i < l->n; i++) {
        if (++index[i] < l->count[i]) {
            p->dst += l->dst_stride[i];
            p->src += l->src_stride[i];
            return true;
        }
        const ptrdiff_t back = (ptrdiff_t)index[i] - 1;
        p->dst -= back * l->dst_stride[i];
        p->src -= back * l->src_stride[i];
        index[i] = 0;
    }
    return false;
}

/* Rows of `bytes` bytes, in at least one level. */
static void copy_strided(enum shape_side to, char *dst, const char *src, size_t bytes,
                         struct levels l)
{
    struct patch p = {.copy_long = long_copy_to(to),
                      .dst = dst,
                      .src = src,
                      .bytes = bytes,
                      .rows = l.count[0],
                      .planes = l.n > 1 ? l.count[1] : 1};
    size_t index[SHAPE_MAX_LEVELS] = {0};
    for (int i = 0; i < 2 && i < l.n; i++) {
        p.dst_stride[i] = l.dst_stride[i];
        p.src_stride[i] = l.src_stride[i];
    }
    do
        copy_patch(&p);
    while (l.n > 2 && step(&l, index, &p));
}

/* ---- vector ---- */

/* The addresses of the segments of one run. */
struct ends {
    void *const *dst, *const *src;
    copy_function *copy_long;
};

static inline __attribute__((always_inline)) void copy_segments(struct ends e, size_t n,
                                                                size_t bytes)
{
    for (size_t i = 0; i < n; i++)
        armcii_copy_by(e.copy_long, e.dst[i], e.src[i], bytes);
}

static void copy_run(const struct vector_run *run, enum shape_side to)
{
    const struct ends put = {run->remote, run->local, armcii_copy_long},
                      get = {run->local, run->remote, armcii_load_long};
    const struct ends e = to == SHAPE_REMOTE ? put : get;
    if (run->bytes == 8)
        copy_segments(e, run->n, 8);
    else if (run->bytes == 16)
        copy_segments(e, run->n, 16);
    else
        copy_segments(e, run->n, run->bytes);
}

/* Copies between n segments and a packed buffer: to the segments if `to` is SHAPE_REMOTE, else to
 * the buffer. */
static inline __attribute__((always_inline)) void
copy_packed(void *const *at, size_t n, size_t bytes, enum shape_side to, char *packed)
{
    for (size_t i = 0; i < n; i++, packed += bytes)
        armcii_copy_by(long_copy_to(to), to == SHAPE_REMOTE ? at[i] : packed,
                       to == SHAPE_REMOTE ? packed : at[i], bytes);
}

static void copy_packed_run(void *const *at, const struct vector_run *run, enum shape_side to,
                            char *packed)
{
    if (run->bytes == 8)
        copy_packed(at, run->n, 8, to, packed);
    else
        copy_packed(at, run->n, run->bytes, to, packed);
}

__attribute__((noinline)) static void copy_vector(const struct shape *s, enum shape_side to)
{
    char *packed = s->packed;
    for (size_t r = 0; r < s->nruns; r++) {
        const struct vector_run *run = &s->runs[r];
        if (run->bytes == 0) continue;
        if (s->packed == NULL) {
            copy_run(run, to);
        } else {
            copy_packed_run(run->remote, run, to, packed);
            packed += run->n * run->bytes;
        }
    }
}

/* ---- all shapes; calls at the ends only: a contiguous copy saves no register ---- */

__attribute__((noinline)) static void copy_levels(const struct shape *s, enum shape_side to)
{
    char *dst = to == SHAPE_REMOTE ? s->remote : s->local;
    const char *src = to == SHAPE_REMOTE ? s->local : s->remote;
    copy_strided(to, dst, src, s->count[0],
                 (struct levels){s->levels, s->count + 1, s->stride[to], s->stride[!to]});
}

void armcii_copy_shape(const struct shape *s, enum shape_side to)
{
    if (s->bytes == 0) return;
    if (s->form == SHAPE_VECTOR)
        copy_vector(s, to);
    else if (s->levels > 0)
        copy_levels(s, to);
    else if (to == SHAPE_REMOTE)
        armcii_copy(s->remote, s->local, s->bytes);
    else
        armcii_load(s->local, s->remote, s->bytes);
}

/* ---- pack and unpack: to the local side if `to` is SHAPE_REMOTE, else to the buffer ---- */

static void copy_local_of_runs(const struct shape *s, enum shape_side to, char *packed)
{
    for (size_t r = 0; r < s->nruns; r++) {
        const struct vector_run *run = &s->runs[r];
        copy_packed_run(run->local, run, to, packed);
        packed += run->n * run->bytes;
    }
}

static void copy_local(const struct shape *s, enum shape_side to, char *packed)
{
    if (s->form == SHAPE_VECTOR) {
        copy_local_of_runs(s, to, packed);
        return;
    }
    char *dst = to == SHAPE_REMOTE ? s->local : packed;
    const char *src = to == SHAPE_REMOTE ? packed : s->local;
    const ptrdiff_t *stride = s->stride[SHAPE_LOCAL];
    ptrdiff_t dense[SHAPE_MAX_LEVELS];
    int merged = 0; /* levels that continue the row */
    size_t row = s->count[0];
    while (merged < s->levels && stride[merged] == (ptrdiff_t)row)
        row *= s->count[++merged];
    if (merged == s->levels) {
        armcii_copy_by(long_copy_to(to), dst, src, row);
        return;
    }
    const struct levels above = {s->levels - merged, s->count + merged + 1,
                                 to == SHAPE_REMOTE ? stride + merged : dense,
                                 to == SHAPE_REMOTE ? dense : stride + merged};
    dense[0] = (ptrdiff_t)row;
    for (int i = 1; i < above.n; i++)
        dense[i] = dense[i - 1] * (ptrdiff_t)above.count[i - 1];
    copy_strided(to, dst, src, row, above);
}

void armcii_shape_pack(const struct shape *s, char *buffer)
{
    if (s->form == SHAPE_VECTOR && s->packed)
        armcii_copy(buffer, s->packed, s->bytes);
    else if (s->form == SHAPE_CONTIGUOUS)
        armcii_load(buffer, s->local, s->bytes);
    else
        copy_local(s, SHAPE_LOCAL, buffer);
}

void armcii_shape_unpack(const struct shape *s, const char *buffer)
{
    if (s->form == SHAPE_VECTOR && s->packed)
        armcii_copy(s->packed, buffer, s->bytes);
    else if (s->form == SHAPE_CONTIGUOUS)
        armcii_copy(s->local, buffer, s->bytes);
    else
        copy_local(s, SHAPE_REMOTE, (char *)(uintptr_t)buffer);
}
