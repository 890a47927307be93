/* accumulate.c - the kernels of accumulate: plain loops that the compiler vectorizes, for the baseline processor and for AVX2. */
#include <stdint.h>

#include "shape/accumulate.h"

/* O3 vectorizes.  Fused multiply-add is off: it rounds once instead of twice. */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#pragma clang diagnostic ignored "-Wunknown-pragmas" /* ivdep */
#else
#pragma GCC optimize("O3", "fp-contract=off")
#endif

/* The remaining rows. */
struct rows {
    char *dst;
    const char *src;
    ptrdiff_t dst_stride, src_stride;
    size_t bytes, n;
};

/* Kernels are always inlined, so they are compiled for the processor of their caller. */
#define KERNEL static inline __attribute__((always_inline))

KERNEL void next_row(struct rows *r)
{
    r->dst += r->dst_stride;
    r->src += r->src_stride;
    r->n--;
}

/* ---- element i of a row: memcpy needs neither alignment nor a declared type ---- */

KERNEL unsigned get_int(const char *row, size_t i)
{
    unsigned x;
    __builtin_memcpy(&x, row + i * sizeof(x), sizeof(x));
    return x;
}

KERNEL void set_int(char *row, size_t i, unsigned x)
{
    __builtin_memcpy(row + i * sizeof(x), &x, sizeof(x));
}

KERNEL unsigned long get_long(const char *row, size_t i)
{
    unsigned long x;
    __builtin_memcpy(&x, row + i * sizeof(x), sizeof(x));
    return x;
}

KERNEL void set_long(char *row, size_t i, unsigned long x)
{
    __builtin_memcpy(row + i * sizeof(x), &x, sizeof(x));
}

KERNEL float get_float(const char *row, size_t i)
{
    float x;
    __builtin_memcpy(&x, row + i * sizeof(x), sizeof(x));
    return x;
}

KERNEL void set_float(char *row, size_t i, float x)
{
    __builtin_memcpy(row + i * sizeof(x), &x, sizeof(x));
}

KERNEL double get_double(const char *row, size_t i)
{
    double x;
    __builtin_memcpy(&x, row + i * sizeof(x), sizeof(x));
    return x;
}

KERNEL void set_double(char *row, size_t i, double x)
{
    __builtin_memcpy(row + i * sizeof(x), &x, sizeof(x));
}

/* ---- kernels ----
 *
 * ivdep holds for src == dst, too: each element is read once, before it is written.  Integers are unsigned, so they wrap.  A real product
 * with 1 is exact and costs nothing compared with the memory access, so only integers have a loop without it.  Complex products are sums
 * with a negated factor, which changes no bit: GCC fuses a difference beside a sum even with fp-contract=off. */

KERNEL void add_int(struct rows r)
{
    for (size_t n = r.bytes / sizeof(int); r.n > 0; next_row(&r))
#pragma GCC ivdep
        for (size_t i = 0; i < n; i++)
            set_int(r.dst, i, get_int(r.dst, i) + get_int(r.src, i));
}

KERNEL void scale_int(struct rows r, unsigned a)
{
    for (size_t n = r.bytes / sizeof(int); r.n > 0; next_row(&r))
#pragma GCC ivdep
        for (size_t i = 0; i < n; i++)
            set_int(r.dst, i, get_int(r.dst, i) + a * get_int(r.src, i));
}

KERNEL void add_long(struct rows r)
{
    for (size_t n = r.bytes / sizeof(long); r.n > 0; next_row(&r))
#pragma GCC ivdep
        for (size_t i = 0; i < n; i++)
            set_long(r.dst, i, get_long(r.dst, i) + get_long(r.src, i));
}

KERNEL void scale_long(struct rows r, unsigned long a)
{
    for (size_t n = r.bytes / sizeof(long); r.n > 0; next_row(&r))
#pragma GCC ivdep
        for (size_t i = 0; i < n; i++)
            set_long(r.dst, i, get_long(r.dst, i) + a * get_long(r.src, i));
}

KERNEL void scale_float(struct rows r, float a)
{
    for (size_t n = r.bytes / sizeof(float); r.n > 0; next_row(&r))
#pragma GCC ivdep
        for (size_t i = 0; i < n; i++)
            set_float(r.dst, i, get_float(r.dst, i) + a * get_float(r.src, i));
}

KERNEL void scale_double(struct rows r, double a)
{
    for (size_t n = r.bytes / sizeof(double); r.n > 0; next_row(&r))
#pragma GCC ivdep
        for (size_t i = 0; i < n; i++)
            set_double(r.dst, i, get_double(r.dst, i) + a * get_double(r.src, i));
}

KERNEL void scale_complex(struct rows r, float re, float im)
{
    const float minus_im = -im;
    for (size_t n = r.bytes / sizeof(float); r.n > 0; next_row(&r))
#pragma GCC ivdep
        for (size_t i = 0; i < n; i += 2) {
            float x = get_float(r.src, i), y = get_float(r.src, i + 1);
            set_float(r.dst, i, get_float(r.dst, i) + (re * x + minus_im * y));
            set_float(r.dst, i + 1, get_float(r.dst, i + 1) + (re * y + im * x));
        }
}

KERNEL void scale_dcomplex(struct rows r, double re, double im)
{
    const double minus_im = -im;
    for (size_t n = r.bytes / sizeof(double); r.n > 0; next_row(&r))
#pragma GCC ivdep
        for (size_t i = 0; i < n; i += 2) {
            double x = get_double(r.src, i), y = get_double(r.src, i + 1);
            set_double(r.dst, i, get_double(r.dst, i) + (re * x + minus_im * y));
            set_double(r.dst, i + 1, get_double(r.dst, i + 1) + (re * y + im * x));
        }
}

/* ---- choice of the kernel ---- */

KERNEL void run_complex(struct rows r, const char *scale)
{
    static const float one[2] = {1, 0};
    if (__builtin_memcmp(scale, one, sizeof(one)) == 0)
        scale_float(r, 1);
    else
        scale_complex(r, get_float(scale, 0), get_float(scale, 1));
}

KERNEL void run_dcomplex(struct rows r, const char *scale)
{
    static const double one[2] = {1, 0};
    if (__builtin_memcmp(scale, one, sizeof(one)) == 0)
        scale_double(r, 1);
    else
        scale_dcomplex(r, get_double(scale, 0), get_double(scale, 1));
}

KERNEL void run(enum element e, const char *scale, struct rows r)
{
    switch (e) {
    case ELEMENT_INT: get_int(scale, 0) == 1 ? add_int(r) : scale_int(r, get_int(scale, 0)); break;
    case ELEMENT_LONG: get_long(scale, 0) == 1 ? add_long(r) : scale_long(r, get_long(scale, 0)); break;
    case ELEMENT_FLOAT: scale_float(r, get_float(scale, 0)); break;
    case ELEMENT_DOUBLE: scale_double(r, get_double(scale, 0)); break;
    case ELEMENT_COMPLEX: run_complex(r, scale); break;
    case ELEMENT_DCOMPLEX: run_dcomplex(r, scale); break;
    case ELEMENT_COUNT: break;
    }
}

/* As fast as AVX2 for rows shorter than AVX2_FROM bytes. */
static void run_baseline(enum element e, const char *scale, const struct rows *r)
{
    run(e, scale, *r);
}

enum { AVX2_FROM = 64 };

#if defined(__x86_64__) && !defined(__AVX2__)
__attribute__((target("avx2"))) static void run_avx2(enum element e, const char *scale, const struct rows *r)
{
    run(e, scale, *r);
}

static void run_best(enum element e, const char *scale, const struct rows *r)
{
    if (r->bytes >= AVX2_FROM && __builtin_cpu_supports("avx2"))
        run_avx2(e, scale, r);
    else
        run_baseline(e, scale, r);
}
#else
static void run_best(enum element e, const char *scale, const struct rows *r)
{
    run_baseline(e, scale, r);
}
#endif

void armcii_accumulate(enum element e, const void *scale, void *dst, const void *src, size_t bytes)
{
    const struct rows r = {dst, src, 0, 0, bytes, 1};
    if (e == ELEMENT_DOUBLE && bytes == sizeof(double)) /* the most frequent single element */
        set_double(dst, 0, get_double(dst, 0) + get_double(scale, 0) * get_double(src, 0));
    else
        run_best(e, scale, &r);
}

void armcii_accumulate_rows(enum element e, const void *scale, void *dst, ptrdiff_t dst_stride, const void *src, ptrdiff_t src_stride,
                            size_t bytes, size_t n)
{
    const struct rows r = {dst, src, dst_stride, src_stride, bytes, n};
    run_best(e, scale, &r);
}
