/* copy_long.c - contiguous copies of more than 64 bytes: memcpy of the C library, which is tuned
 * for each processor, and two loops of our own that were measured to be better on AMD's. A third
 * use of a loop is not for speed: gets load whole elements. */
#include <stdbool.h>
#include <string.h>

#include "shape/copy.h"

/* The most bytes that the C library copies well wherever source and destination are. */
enum { WELL_COPIED = 2048 };

/* True if the two ranges do not overlap. */
static bool is_disjoint(const char *dst, const char *src, size_t bytes)
{
    return (uintptr_t)dst - (uintptr_t)src >= bytes && (uintptr_t)src - (uintptr_t)dst >= bytes;
}

/* True if both addresses have the same offset in a word. */
static bool is_equally_aligned(const char *dst, const char *src)
{
    return ((uintptr_t)dst - (uintptr_t)src) % sizeof(uint64_t) == 0;
}

/* ---- loads from aligned addresses ---- */

/* One register, or two of 16 bytes. */
typedef uint64_t block32 __attribute__((vector_size(32)));

/* Copies by loads from aligned addresses; the ranges do not overlap. volatile: otherwise compilers
 * call memcpy. Always inlined, so it is compiled for the processor of its caller. */
static inline __attribute__((always_inline)) void load_aligned(char *dst, const char *src,
                                                               size_t bytes)
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

#if defined(__SSE2__) && !defined(__AVX2__)
__attribute__((target("avx2"))) static void load_aligned_avx2(char *dst, const char *src,
                                                              size_t bytes)
{
    load_aligned(dst, src, bytes);
}
#endif

static void copy_aligned_loads(char *dst, const char *src, size_t bytes)
{
#if defined(__SSE2__) && !defined(__AVX2__)
    if (__builtin_cpu_supports("avx2")) {
        load_aligned_avx2(dst, src, bytes);
        return;
    }
#endif
    load_aligned(dst, src, bytes);
}

/* ---- what AMD's processors need: measured on EPYC 7003 with glibc 2.36. Nontemporal stores of 16
 * MiB take 0.7 to 0.8 of the time of memcpy there, and 5.6 times as long on Intel's Sapphire Rapids
 * ---- */

#ifdef __SSE2__
#include <cpuid.h>
#include <emmintrin.h>

enum { LINE = 64, AHEAD = 8 * LINE, STREAM_LEAST = 16 << 20 };

/* True if memcpy is slow here. Its `rep movsb` is 10 to 25 times slower if the destination begins 1
 * to 31 bytes behind the source, modulo the size of a page. */
static bool is_slow(const char *dst, const char *src)
{
    enum { PAGE = 4096 };
    return ((uintptr_t)dst - (uintptr_t)src - 1) % PAGE < sizeof(block32) - 1 &&
           __builtin_cpu_is("amd") && __builtin_cpu_supports("avx2");
}

/* The bytes of the last-level cache of one group of cores by AMD's own function of CPUID; the C
 * library reports the sum of all groups. */
static size_t cache_of_group(void)
{
    unsigned ways, geometry, sets, unused;
    if (!__get_cpuid_count(0x8000001d, 3, &unused, &geometry, &sets, &unused)) return 0;
    ways = (geometry >> 22) + 1;
    const unsigned partitions = (geometry >> 12 & 0x3ff) + 1, line = (geometry & 0xfff) + 1;
    return (size_t)ways * partitions * line * (sets + 1);
}

/* True if nontemporal stores pay: if source and destination together do not fit in the
 * cache. */
static bool is_beyond_cache(size_t bytes)
{
    if (bytes < STREAM_LEAST || !__builtin_cpu_is("amd")) return false;
    const size_t cache = cache_of_group();
    return cache > LINE && bytes >= cache / 2;
}

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
    size_t head = -(uintptr_t)dst % LINE, lines = (bytes - head) / LINE * LINE,
           tail = bytes - head - lines;
    armcii_copy(dst, src, head);
    stream_lines(dst + head, src + head, lines);
    armcii_copy(dst + head + lines, src + head + lines, tail);
}

static void copy_disjoint(char *dst, const char *src, size_t bytes)
{
    if (is_beyond_cache(bytes))
        copy_streaming(dst, src, bytes);
    else if (is_slow(dst, src))
        copy_aligned_loads(dst, src, bytes);
    else
        memcpy(dst, src, bytes);
}
#else
static void copy_disjoint(char *dst, const char *src, size_t bytes)
{
    memcpy(dst, src, bytes);
}
#endif

/* ---- the two copies ---- */

void armcii_copy_long(void *dst, const void *src, size_t bytes)
{
    if (bytes > WELL_COPIED && is_disjoint(dst, src, bytes))
        copy_disjoint(dst, src, bytes);
    else
        memmove(dst, src, bytes);
}

void armcii_load_long(void *dst, const void *src, size_t bytes)
{
    if (!is_equally_aligned(dst, src) && is_disjoint(dst, src, bytes))
        copy_aligned_loads(dst, src, bytes);
    else
        armcii_copy_long(dst, src, bytes);
}
