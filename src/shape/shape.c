/* shape.c - building shapes in their simplest form, and their properties. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#include "shape/shape.h"
#include "shape/overlap.h"

/* ---- construction ---- */

/* True if level `upper` continues on that side where level `below` (0: the segment) ends. */
static bool continues(const struct shape *s, enum shape_side side, int below, int upper)
{
    ptrdiff_t unit = below == 0 ? 1 : s->stride[side][below - 1];
    ptrdiff_t end;
    return !__builtin_mul_overflow(s->count[below], unit, &end) &&
           s->stride[side][upper - 1] == end;
}

/* Restores the simplest form after levels, counts or strides of a strided shape were changed. */
static void simplify(struct shape *s)
{
    int kept = 0;
    for (int level = 1; level <= s->levels; level++) {
        if (s->count[level] == 1) continue;
        if (continues(s, SHAPE_LOCAL, kept, level) && continues(s, SHAPE_REMOTE, kept, level)) {
            s->count[kept] *= s->count[level];
            continue;
        }
        kept++;
        s->count[kept] = s->count[level];
        s->stride[SHAPE_LOCAL][kept - 1] = s->stride[SHAPE_LOCAL][level - 1];
        s->stride[SHAPE_REMOTE][kept - 1] = s->stride[SHAPE_REMOTE][level - 1];
    }
    s->levels = kept;
    s->form = kept == 0 ? SHAPE_CONTIGUOUS : SHAPE_STRIDED;
    s->nsegs = s->bytes == 0 ? 0 : s->bytes / s->count[0];
}

enum shape_status armcii_shape_strided(struct shape *s, void *local, const int local_stride[],
                                       void *remote, const int remote_stride[], const int count[],
                                       int levels)
{
    ptrdiff_t bytes = 1; /* signed: offsets into a packed buffer must fit */
    bool is_empty = false, overflow = false;
    if (levels < 0 || levels > SHAPE_MAX_LEVELS) return SHAPE_BAD_LEVELS;
    for (int i = 0; i <= levels; i++) {
        if (count[i] < 0) return SHAPE_BAD_COUNT;
        is_empty |= count[i] == 0;
        overflow |= __builtin_mul_overflow(bytes, count[i], &bytes);
    }
    if (overflow && !is_empty) return SHAPE_OVERFLOW;
    armcii_shape_contiguous(s, local, remote, is_empty ? 0 : (size_t)bytes);
    if (is_empty) return SHAPE_OK;
    s->levels = levels;
    for (int i = 0; i <= levels; i++)
        s->count[i] = (size_t)count[i];
    for (int i = 0; i < levels; i++) {
        s->stride[SHAPE_LOCAL][i] = local_stride[i];
        s->stride[SHAPE_REMOTE][i] = remote_stride[i];
    }
    simplify(s);
    return SHAPE_OK;
}

enum shape_status armcii_shape_vector(struct shape *s, const struct vector_run *runs, size_t nruns)
{
    ptrdiff_t bytes = 0;
    size_t nsegs = 0;
    const struct vector_run *last = NULL;
    for (size_t r = 0; r < nruns; r++) {
        ptrdiff_t more;
        if (__builtin_mul_overflow(runs[r].bytes, runs[r].n, &more) ||
            __builtin_add_overflow(bytes, more, &bytes))
            return SHAPE_OVERFLOW;
        if (more == 0) continue;
        nsegs += runs[r].n;
        last = &runs[r];
    }
    if (nsegs <= 1) {
        armcii_shape_contiguous(s, last ? last->local[0] : NULL, last ? last->remote[0] : NULL,
                                (size_t)bytes);
        return SHAPE_OK;
    }
    *s = (struct shape){
        .form = SHAPE_VECTOR, .bytes = (size_t)bytes, .nsegs = nsegs, .runs = runs, .nruns = nruns};
    return SHAPE_OK;
}

/* True if the addresses are next, next + stride, ... */
static bool is_evenly_spaced(void *const *at, size_t n, ptrdiff_t stride, uintptr_t next)
{
    for (size_t i = 0; i < n; i++, next += (uintptr_t)stride)
        if ((uintptr_t)at[i] != next) return false;
    return true;
}

static bool runs_match_patch(const struct shape *s, const struct shape *patch)
{
    uintptr_t local = (uintptr_t)patch->local, remote = (uintptr_t)patch->remote;
    ptrdiff_t near = patch->stride[SHAPE_LOCAL][0], far = patch->stride[SHAPE_REMOTE][0];
    for (size_t r = 0; r < s->nruns; r++) {
        const struct vector_run *run = &s->runs[r];
        if (run->n == 0 || run->bytes == 0) continue;
        if (run->bytes != patch->count[0] || !is_evenly_spaced(run->remote, run->n, far, remote) ||
            !is_evenly_spaced(run->local, run->n, near, local))
            return false;
        local += run->n * (uintptr_t)near;
        remote += run->n * (uintptr_t)far;
    }
    return true;
}

bool armcii_shape_to_strided(const struct shape *s, struct shape *patch)
{
    struct shape_iter it;
    struct segment first, second;
    if (s->form != SHAPE_VECTOR || s->packed) return false;
    armcii_shape_begin(&it, s);
    armcii_shape_next(&it, &first);
    armcii_shape_next(&it, &second); /* a vector has at least two */
    struct shape even = {.form = SHAPE_STRIDED, .bytes = s->bytes, .nsegs = s->nsegs, .levels = 1};
    even.local = first.local;
    even.remote = first.remote;
    even.count[0] = first.bytes;
    even.count[1] = s->nsegs;
    even.stride[SHAPE_LOCAL][0] = second.local - first.local;
    even.stride[SHAPE_REMOTE][0] = second.remote - first.remote;
    if (!runs_match_patch(s, &even)) return false;
    simplify(&even);
    *patch = even;
    return true;
}

/* ---- range ---- */

/* The range of a strided or contiguous side, relative to its first segment; false on overflow. */
static bool span(const struct shape *s, enum shape_side side, ptrdiff_t *below, ptrdiff_t *above)
{
    *below = 0;
    if (__builtin_add_overflow(s->count[0], 0, above)) return false;
    for (int level = 0; level < s->levels; level++) {
        ptrdiff_t distance;
        if (__builtin_mul_overflow(s->count[level + 1] - 1, s->stride[side][level], &distance))
            return false;
        ptrdiff_t *end = distance < 0 ? below : above;
        if (__builtin_add_overflow(*end, distance, end)) return false;
    }
    return true;
}

/* The addresses [*lo, *hi) of one side of a segment; false if they leave the address space. */
static bool segment_bounds(const struct segment *seg, enum shape_side side, uintptr_t *lo,
                           uintptr_t *hi)
{
    *lo = (uintptr_t)(side == SHAPE_LOCAL ? seg->local : seg->remote);
    return !__builtin_add_overflow(*lo, seg->bytes, hi);
}

/* Extends [*low, *high] to n addresses. */
static void widen_to(void *const addresses[], size_t n, uintptr_t *low, uintptr_t *high)
{
    for (size_t i = 0; i < n; i++) {
        uintptr_t at = (uintptr_t)addresses[i];
        *low = at < *low ? at : *low;
        *high = at > *high ? at : *high;
    }
}

/* The range of a vector side that is not packed. */
static enum shape_status range_of_runs(const struct shape *s, enum shape_side side, char **lo,
                                       char **hi)
{
    uintptr_t low = UINTPTR_MAX, high = 0;
    for (size_t r = 0; r < s->nruns; r++) {
        const struct vector_run *run = &s->runs[r];
        uintptr_t last = 0, end;
        if (run->bytes == 0 || run->n == 0) continue;
        widen_to(side == SHAPE_LOCAL ? run->local : run->remote, run->n, &low, &last);
        if (__builtin_add_overflow(last, run->bytes, &end)) return SHAPE_OVERFLOW;
        high = end > high ? end : high;
    }
    *lo = (char *)low;
    *hi = (char *)high;
    return SHAPE_OK;
}

enum shape_status armcii_shape_range(const struct shape *s, enum shape_side side, char **lo,
                                     char **hi)
{
    bool packed = s->form == SHAPE_VECTOR && side == SHAPE_LOCAL && s->packed != NULL;
    if (s->form == SHAPE_VECTOR && !packed) return range_of_runs(s, side, lo, hi);

    uintptr_t first = (uintptr_t)(packed                ? s->packed
                                  : side == SHAPE_LOCAL ? s->local
                                                        : s->remote),
              low, high;
    ptrdiff_t below = 0, above = (ptrdiff_t)s->bytes;
    if (!packed && !span(s, side, &below, &above)) return SHAPE_OVERFLOW;
    if (__builtin_add_overflow(first, below, &low) || __builtin_add_overflow(first, above, &high))
        return SHAPE_OVERFLOW;
    *lo = (char *)low;
    *hi = (char *)high;
    return SHAPE_OK;
}

/* ---- properties ---- */

/* The |strides| and counts of the levels of one side, by ascending |stride|. */
static void sort_levels(const struct shape *s, enum shape_side side, size_t stride[],
                        size_t count[])
{
    for (int n = 0; n < s->levels; n++) {
        ptrdiff_t signed_stride = s->stride[side][n];
        size_t length = signed_stride < 0 ? -(size_t)signed_stride : (size_t)signed_stride;
        int at = n;
        for (; at > 0 && stride[at - 1] > length; at--) {
            stride[at] = stride[at - 1];
            count[at] = count[at - 1];
        }
        stride[at] = length;
        count[at] = s->count[n + 1];
    }
}

/* True if each stride, in ascending order, is at least the reach of all levels below. */
static bool strides_are_disjoint(const struct shape *s, enum shape_side side)
{
    size_t stride[SHAPE_MAX_LEVELS], count[SHAPE_MAX_LEVELS];
    sort_levels(s, side, stride, count);
    size_t reach = s->count[0];
    for (int i = 0; i < s->levels; i++) {
        if (stride[i] < reach) return false;
        reach += stride[i] * (count[i] - 1); /* no overflow: at most the size of the range */
    }
    return true;
}

static bool runs_ascend(const struct shape *s, enum shape_side side)
{
    uintptr_t begin, end, last = 0;
    struct shape_iter it;
    struct segment seg;
    armcii_shape_begin(&it, s);
    while (armcii_shape_next(&it, &seg)) {
        if (!segment_bounds(&seg, side, &begin, &end) || begin < last) return false;
        last = end;
    }
    return true;
}

static bool runs_are_disjoint(const struct shape *s, enum shape_side side)
{
    if (runs_ascend(s, side)) /* the common case needs no tree */
        return true;
    struct overlap_tree *tree = armcii_overlap_create(s->nsegs);
    if (tree == NULL) return false;
    struct shape_iter it;
    struct segment seg;
    uintptr_t begin, end;
    bool disjoint = true;
    armcii_shape_begin(&it, s);
    while (disjoint && armcii_shape_next(&it, &seg))
        disjoint = segment_bounds(&seg, side, &begin, &end) &&
                   armcii_overlap_insert(tree, begin, end) == OVERLAP_NONE;
    armcii_overlap_free(tree);
    return disjoint;
}

bool armcii_shape_is_disjoint(const struct shape *s, enum shape_side side)
{
    if (s->form != SHAPE_VECTOR) return strides_are_disjoint(s, side);
    return (side == SHAPE_LOCAL && s->packed != NULL) || runs_are_disjoint(s, side);
}

bool armcii_shape_nests(const struct shape *s, enum shape_side side)
{
    if (s->form == SHAPE_VECTOR) return false;
    ptrdiff_t unit = 1;
    for (int level = 0; level < s->levels; level++) {
        ptrdiff_t stride = s->stride[side][level];
        if (stride <= 0 || stride % unit != 0 || (size_t)(stride / unit) < s->count[level])
            return false;
        unit = stride;
    }
    return true;
}

static bool runs_are_aligned(const struct shape *s, enum shape_side side, size_t mask)
{
    size_t all = 0; /* all addresses and lengths or-ed */
    for (size_t r = 0; r < s->nruns; r++) {
        const struct vector_run *run = &s->runs[r];
        void *const *at = side == SHAPE_LOCAL ? run->local : run->remote;
        for (size_t i = 0; i < run->n && run->bytes > 0; i++)
            all |= (uintptr_t)at[i] | run->bytes;
    }
    return (all & mask) == 0;
}

bool armcii_shape_is_aligned(const struct shape *s, enum shape_side side, size_t unit)
{
    size_t mask = unit - 1;
    if (s->bytes == 0) return true;
    if (s->form == SHAPE_VECTOR) return runs_are_aligned(s, side, mask);
    size_t all = (uintptr_t)(side == SHAPE_LOCAL ? s->local : s->remote) | s->count[0];
    for (int level = 0; level < s->levels; level++)
        all |= (size_t)s->stride[side][level];
    return (all & mask) == 0;
}

/* ---- chunks ---- */

/* The largest chunk of at most `limit` bytes that begins with segment `index` and is one shape; a
 * segment fits. */
static void take_blocks(const struct shape *s, size_t limit, size_t index, struct shape *chunk)
{
    *chunk = *s;
    size_t block = s->count[0]; /* bytes of the whole levels taken so far */
    bool whole = true;
    chunk->levels = 0;
    for (int level = 1; level <= s->levels; level++) {
        size_t at = index % s->count[level];
        index /= s->count[level];
        chunk->local += (ptrdiff_t)at * s->stride[SHAPE_LOCAL][level - 1];
        chunk->remote += (ptrdiff_t)at * s->stride[SHAPE_REMOTE][level - 1];
        if (!whole) continue;
        size_t fit = limit / block, rest = s->count[level] - at;
        chunk->levels = level;
        chunk->count[level] = fit < rest ? fit : rest;
        whole = chunk->count[level] == s->count[level];
        block *= chunk->count[level];
    }
    chunk->bytes = block;
    simplify(chunk);
}

bool armcii_shape_chunk(const struct shape *s, size_t limit, size_t *position, struct shape *chunk)
{
    assert(s->form != SHAPE_VECTOR);
    if (*position >= s->bytes) return false;
    if (limit < SHAPE_SPLIT_UNIT) limit = SHAPE_SPLIT_UNIT;

    size_t segment = s->count[0], within = *position % segment;
    if (segment <= limit) {
        take_blocks(s, limit, *position / segment, chunk);
    } else {
        struct shape whole;
        take_blocks(s, segment, *position / segment, &whole);
        size_t most = limit - limit % SHAPE_SPLIT_UNIT, rest = segment - within;
        armcii_shape_contiguous(chunk, whole.local + within, whole.remote + within,
                                rest < most ? rest : most);
    }
    *position += chunk->bytes;
    return true;
}

void armcii_shape_set_packed(struct shape *s, char *buffer)
{
    if (s->form == SHAPE_VECTOR) {
        s->packed = buffer;
        return;
    }
    s->local = buffer;
    if (s->form == SHAPE_CONTIGUOUS) return;
    ptrdiff_t step = 1;
    for (int level = 0; level < s->levels; level++) {
        step *= (ptrdiff_t)s->count[level];
        s->stride[SHAPE_LOCAL][level] = step;
    }
    simplify(s);
}

/* ---- iteration ---- */

void armcii_shape_begin(struct shape_iter *it, const struct shape *s)
{
    it->shape = s;
    it->left = s->nsegs;
    it->run = it->i = 0;
    for (int level = 0; level < s->levels; level++)
        it->index[level] = 0;
    if (s->form == SHAPE_VECTOR) {
        it->local = s->packed;
        it->remote = NULL;
    } else {
        it->local = s->local;
        it->remote = s->remote;
    }
}

/* Moves to the next segment of a strided shape, which exists. */
static void step_strided(struct shape_iter *it)
{
    const struct shape *s = it->shape;
    int level = 0;
    while (++it->index[level] == s->count[level + 1]) {
        ptrdiff_t back = (ptrdiff_t)s->count[level + 1] - 1;
        it->local -= back * s->stride[SHAPE_LOCAL][level];
        it->remote -= back * s->stride[SHAPE_REMOTE][level];
        it->index[level++] = 0;
    }
    it->local += s->stride[SHAPE_LOCAL][level];
    it->remote += s->stride[SHAPE_REMOTE][level];
}

/* The next segment of a vector shape, which exists. */
static struct segment next_of_runs(struct shape_iter *it)
{
    const struct shape *s = it->shape;
    const struct vector_run *run = &s->runs[it->run];
    while (it->i == run->n || run->bytes == 0) {
        run = &s->runs[++it->run];
        it->i = 0;
    }
    struct segment seg = {s->packed ? it->local : run->local[it->i], run->remote[it->i],
                          run->bytes};
    it->i++;
    if (s->packed) it->local += run->bytes;
    return seg;
}

bool armcii_shape_next(struct shape_iter *it, struct segment *seg)
{
    if (it->left == 0) return false;
    it->left--;
    if (it->shape->form == SHAPE_VECTOR) {
        *seg = next_of_runs(it);
        return true;
    }
    *seg = (struct segment){it->local, it->remote, it->shape->count[0]};
    if (it->left > 0) step_strided(it);
    return true;
}
