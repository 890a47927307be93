/* copy.c - a whole transfer by load and store.  Strided: two nested loops over the rows and planes of the lowest levels, with a constant
 * row length if it is a common short one; an index walks the levels above.  Packing and unpacking are copies of one side. */
#include <stdbool.h>
#include <string.h>
#include <emmintrin.h>

#include "shape/copy.h"

/* ---- strided ---- */

/* Planes of rows of `bytes` bytes. */
struct patch {
    char *dst;
    const char *src;
    size_t bytes, rows, planes;
    ptrdiff_t dst_stride[2], src_stride[2]; /* of rows, of planes */
};

static inline __attribute__((always_inline)) void copy_rows(const struct patch *p, size_t bytes)
{
    const ptrdiff_t rows = (ptrdiff_t)p->rows, dst_stride = p->dst_stride[0], src_stride = p->src_stride[0];
    for (ptrdiff_t plane = 0; plane < (ptrdiff_t)p->planes; plane++) {
        char *dst = p->dst + plane * p->dst_stride[1];
        const char *src = p->src + plane * p->src_stride[1];
        for (ptrdiff_t row = 0; row < rows; row++)
            armcii_copy(dst + row * dst_stride, src + row * src_stride, bytes);
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

/* Moves to the next patch of a shape; returns false, back at the first patch, after the last. */
static bool step(const struct shape *s, enum shape_side to, size_t index[], struct patch *p)
{
    for (int level = 2; level < s->levels; level++) {
        const ptrdiff_t dst_stride = s->stride[to][level], src_stride = s->stride[!to][level];
        if (++index[level] < s->count[level + 1]) {
            p->dst += dst_stride;
            p->src += src_stride;
            return true;
        }
        const ptrdiff_t back = (ptrdiff_t)index[level] - 1;
        p->dst -= back * dst_stride;
        p->src -= back * src_stride;
        index[level] = 0;
    }
    return false;
}

static void copy_strided(const struct shape *s, enum shape_side to, char *dst, const char *src)
{
    struct patch p = {.dst = dst, .src = src, .bytes = s->count[0], .rows = s->count[1], .planes = 1};
    size_t index[SHAPE_MAX_LEVELS] = {0};
    if (s->levels > 1) p.planes = s->count[2];
    for (int i = 0; i < 2 && i < s->levels; i++) {
        p.dst_stride[i] = s->stride[to][i];
        p.src_stride[i] = s->stride[!to][i];
    }
    do {
        copy_patch(&p);
    } while (step(s, to, index, &p));
}

/* ---- vector ---- */

/* The addresses of the segments of one run; an offset is added to each list. */
struct ends {
    void *const *dst, *const *src;
    ptrdiff_t dst_delta, src_delta;
};

static inline __attribute__((always_inline)) void copy_segments(struct ends e, size_t n, size_t bytes)
{
    for (size_t i = 0; i < n; i++)
        armcii_copy((char *)e.dst[i] + e.dst_delta, (const char *)e.src[i] + e.src_delta, bytes);
}

static void copy_run(const struct vector_run *run, enum shape_side to, ptrdiff_t delta)
{
    const struct ends put = {run->remote, run->local, delta, 0}, get = {run->local, run->remote, 0, delta};
    const struct ends e = to == SHAPE_REMOTE ? put : get;
    if (run->bytes == 8)
        copy_segments(e, run->n, 8);
    else if (run->bytes == 16)
        copy_segments(e, run->n, 16);
    else
        copy_segments(e, run->n, run->bytes);
}

/* Copies between n segments and a packed buffer: to the segments if `to` is SHAPE_REMOTE, else to the buffer. */
static inline __attribute__((always_inline)) void copy_packed(void *const *at, size_t n, size_t bytes, enum shape_side to, ptrdiff_t delta,
                                                              char *packed)
{
    for (size_t i = 0; i < n; i++, packed += bytes) {
        char *segment = (char *)at[i] + delta;
        armcii_copy(to == SHAPE_REMOTE ? segment : packed, to == SHAPE_REMOTE ? packed : segment, bytes);
    }
}

static void copy_packed_run(void *const *at, const struct vector_run *run, enum shape_side to, ptrdiff_t delta, char *packed)
{
    if (run->bytes == 8)
        copy_packed(at, run->n, 8, to, delta, packed);
    else
        copy_packed(at, run->n, run->bytes, to, delta, packed);
}

static void copy_vector(const struct shape *s, enum shape_side to, ptrdiff_t delta)
{
    char *packed = s->packed;
    for (size_t r = 0; r < s->nruns; r++) {
        const struct vector_run *run = &s->runs[r];
        if (run->bytes == 0) continue;
        if (s->packed == NULL) {
            copy_run(run, to, delta);
        } else {
            copy_packed_run(run->remote, run, to, delta, packed);
            packed += run->n * run->bytes;
        }
    }
}

/* ---- all shapes ---- */

void armcii_copy_shape(const struct shape *s, enum shape_side to, ptrdiff_t delta)
{
    if (s->bytes == 0) return;
    if (s->form == SHAPE_VECTOR) {
        copy_vector(s, to, delta);
        return;
    }
    char *remote = s->remote + delta;
    char *dst = to == SHAPE_REMOTE ? remote : s->local;
    const char *src = to == SHAPE_REMOTE ? s->local : remote;
    if (s->levels == 0)
        armcii_copy(dst, src, s->bytes);
    else
        copy_strided(s, to, dst, src);
}

/* ---- pack and unpack: to the side if `to` is SHAPE_REMOTE, else to the buffer ---- */

static void copy_side_of_runs(const struct shape *s, enum shape_side side, enum shape_side to, char *packed)
{
    for (size_t r = 0; r < s->nruns; r++) {
        const struct vector_run *run = &s->runs[r];
        copy_packed_run(side == SHAPE_LOCAL ? run->local : run->remote, run, to, 0, packed);
        packed += run->n * run->bytes;
    }
}

static void copy_side(const struct shape *s, enum shape_side side, enum shape_side to, char *packed)
{
    if (s->form == SHAPE_VECTOR) {
        copy_side_of_runs(s, side, to, packed);
        return;
    }
    struct shape one = *s; /* with that side as its remote side */
    if (side == SHAPE_LOCAL) {
        one.remote = s->local;
        for (int i = 0; i < s->levels; i++)
            one.stride[SHAPE_REMOTE][i] = s->stride[SHAPE_LOCAL][i];
    }
    armcii_shape_set_packed(&one, packed);
    armcii_copy_shape(&one, to, 0);
}

void armcii_shape_pack(const struct shape *s, enum shape_side side, char *buffer)
{
    if (side == SHAPE_LOCAL && s->form == SHAPE_VECTOR && s->packed)
        armcii_copy(buffer, s->packed, s->bytes);
    else
        copy_side(s, side, SHAPE_LOCAL, buffer);
}

void armcii_shape_unpack(const struct shape *s, enum shape_side side, const char *buffer)
{
    if (side == SHAPE_LOCAL && s->form == SHAPE_VECTOR && s->packed)
        armcii_copy(s->packed, buffer, s->bytes);
    else
        copy_side(s, side, SHAPE_REMOTE, (char *)(uintptr_t)buffer);
}

/* ---- long contiguous copies ---- */

enum { LINE = 64, STREAM_FROM = 16 << 20 };

/* Do the two ranges not overlap? */
static bool is_disjoint(const char *dst, const char *src, size_t bytes)
{
    return (uintptr_t)dst - (uintptr_t)src >= bytes && (uintptr_t)src - (uintptr_t)dst >= bytes;
}

/* Have both addresses the same offset in a word? */
static bool is_equally_aligned(const char *dst, const char *src)
{
    return ((uintptr_t)dst - (uintptr_t)src) % sizeof(uint64_t) == 0;
}

/* One register, or two of 16 bytes. */
typedef uint64_t block32 __attribute__((vector_size(32)));

/* Copies by loads from aligned addresses; the ranges do not overlap.  volatile: otherwise compilers call memcpy.  Always inlined, so it
 * is compiled for the processor of its caller. */
static inline __attribute__((always_inline)) void copy_aligned_loads(char *dst, const char *src, size_t bytes)
{
    enum { BLOCK = sizeof(block32) };
    size_t at = -(uintptr_t)src % BLOCK;
    armcii_copy(dst, src, at);
    for (; at + 2 * BLOCK <= bytes; at += 2 * BLOCK) {
        const volatile block32 *from = (const volatile block32 *)(const void *)(src + at);
        const block32 first = from[0], second = from[1];
        __builtin_memcpy(dst + at, &first, BLOCK);
        __builtin_memcpy(dst + at + BLOCK, &second, BLOCK);
    }
    armcii_copy(dst + at, src + at, bytes - at);
}

#if defined(__x86_64__) && !defined(__AVX2__)
__attribute__((target("avx2"))) static void copy_unaligned_avx2(char *dst, const char *src, size_t bytes)
{
    copy_aligned_loads(dst, src, bytes);
}
#endif

static void copy_unaligned(char *dst, const char *src, size_t bytes)
{
#if defined(__x86_64__) && !defined(__AVX2__)
    if (__builtin_cpu_supports("avx2")) {
        copy_unaligned_avx2(dst, src, bytes);
        return;
    }
#endif
    copy_aligned_loads(dst, src, bytes);
}

#ifdef __SSE2__

enum { AHEAD = 8 * LINE };

/* Copies whole cache lines to an aligned address by nontemporal stores. */
static void stream_lines(char *dst, const char *src, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += LINE) {
        __m128i part[4];
        __builtin_prefetch(src + at + AHEAD, 0, 0);
        for (int i = 0; i < 4; i++)
            part[i] = _mm_loadu_si128((const __m128i *)(const void *)(src + at + 16 * i));
        for (int i = 0; i < 4; i++)
            _mm_stream_si128((__m128i *)(void *)(dst + at + 16 * i), part[i]);
    }
    _mm_sfence();
}

static void copy_streaming(char *dst, const char *src, size_t bytes)
{
    size_t head = -(uintptr_t)dst % LINE, lines = (bytes - head) / LINE * LINE, tail = bytes - head - lines;
    armcii_copy(dst, src, head);
    stream_lines(dst + head, src + head, lines);
    armcii_copy(dst + head + lines, src + head + lines, tail);
}
#else
static void copy_streaming(char *dst, const char *src, size_t bytes)
{
    memcpy(dst, src, bytes);
}
#endif

void armcii_copy_long(void *dst, const void *src, size_t bytes)
{
    if (!is_disjoint(dst, src, bytes))
        memmove(dst, src, bytes);
    else if (!is_equally_aligned(dst, src))
        copy_unaligned(dst, src, bytes);
    else if (bytes < STREAM_FROM)
        memcpy(dst, src, bytes);
    else
        copy_streaming(dst, src, bytes);
}
