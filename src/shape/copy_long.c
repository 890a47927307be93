/* copy_long.c - the copy of a long piece of memory: the C library's, past the cache where the piece would fill it.
 *
 * A get beside accumulates of others sees each element as it was before or after any of them, never half of it.  The
 * C library takes words where both sides are equally aligned; else it may load from within an element, and memmove
 * under AddressSanitizer goes byte by byte.  Pieces that are not equally aligned are therefore copied here, and memmove
 * is left to those that overlap.
 *
 * A store into a line that is not in the cache reads it first; a streaming store does not, and spares what others have
 * in the cache.  Measured with 32 MiB of last-level cache: at 1 and 4 MiB, which fit, streaming takes 1.7 times as
 * long, at 10 to 12 as long, from 16 on a fifth to a third less, less than half where two processes copy at once; and
 * whoever reads the target next loses nothing any more.  The C library's own limit cannot be relied on: it can exceed
 * the size of the cache many times. */
#include <stdbool.h>
#include <string.h>

#include "shape/copy.h"

enum { LINE = 64, STREAM_FROM = 16 << 20 };

/* Is neither within the other? */
static bool is_apart(const char *dst, const char *src, size_t bytes)
{
    return (uintptr_t)dst - (uintptr_t)src >= bytes && (uintptr_t)src - (uintptr_t)dst >= bytes;
}

/* Are words of one side words of the other? */
static bool is_equally_aligned(const char *dst, const char *src)
{
    return ((uintptr_t)dst - (uintptr_t)src) % sizeof(uint64_t) == 0;
}

/* 32 bytes at once, or two times 16. */
typedef uint64_t block32 __attribute__((vector_size(32)));

/* Copy by loads from aligned addresses; both sides are apart.  Volatile, or compilers call memcpy instead.  Always inlined: its code is
 * that of the processor its caller is compiled for. */
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

static void copy_crooked_usual(char *dst, const char *src, size_t bytes)
{
    copy_aligned_loads(dst, src, bytes);
}

#if defined(__x86_64__) && !defined(__AVX2__)
__attribute__((target("avx2"))) static void copy_crooked_wide(char *dst, const char *src, size_t bytes)
{
    copy_aligned_loads(dst, src, bytes);
}

static void copy_crooked(char *dst, const char *src, size_t bytes)
{
    if (__builtin_cpu_supports("avx2"))
        copy_crooked_wide(dst, src, bytes);
    else
        copy_crooked_usual(dst, src, bytes);
}
#else
static void copy_crooked(char *dst, const char *src, size_t bytes)
{
    copy_crooked_usual(dst, src, bytes);
}
#endif

#ifdef __SSE2__
#include <emmintrin.h>

enum { AHEAD = 8 * LINE };

/* Copy whole lines to an aligned address by streaming stores. */
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
    if (!is_apart(dst, src, bytes))
        memmove(dst, src, bytes);
    else if (!is_equally_aligned(dst, src))
        copy_crooked(dst, src, bytes);
    else if (bytes < STREAM_FROM)
        memcpy(dst, src, bytes);
    else
        copy_streaming(dst, src, bytes);
}
