/* accumulate.c - element types, and the kernels that scale and accumulate elements: plain loops
 * that the compiler vectorizes, for the baseline processor, for AVX2 and for AVX-512. */
#include "shape/accumulate.h"

#include <assert.h>
#include <string.h>

/* O3 vectorizes. Fused multiply-add is off: it rounds once instead of twice. */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#pragma clang diagnostic ignored "-Wunknown-pragmas" /* ivdep */
#else
#pragma GCC optimize("O3", "fp-contract=off")
#endif

/* For 512 bits, where the compiler knows the newer processors. */
#if defined(__x86_64__) && defined(__clang__)
#define AVX512 "avx512f,avx512vl"
#elif defined(__x86_64__) && __GNUC__ >= 8
#define AVX512 "avx512f,avx512vl,prefer-vector-width=512"
#endif

const struct element_type armcii_elements[ELEMENT_COUNT] = {
    [ELEMENT_INT] = {sizeof(int), sizeof(int), "int", &(const int){1}},
    [ELEMENT_LONG] = {sizeof(long), sizeof(long), "long", &(const long){1}},
    [ELEMENT_FLOAT] = {sizeof(float), sizeof(float), "float", &(const float){1}},
    [ELEMENT_DOUBLE] = {sizeof(double), sizeof(double), "double", &(const double){1}},
    [ELEMENT_COMPLEX] = {2 * sizeof(float), sizeof(float), "complex", (const float[2]){1, 0}},
    [ELEMENT_DCOMPLEX] = {2 * sizeof(double), sizeof(double), "double complex",
                          (const double[2]){1, 0}},
};

bool armcii_scale_is_one(enum element e, const void *scale)
{
    return memcmp(scale, armcii_elements[e].one, armcii_elements[e].size) == 0;
}

/* ---- rows ---- */

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

/* ---- kernels ----
 *
 * __builtin_memcpy needs neither alignment nor a declared type. ivdep holds for src == dst, too:
 * each element is read once, before it is written. Integers are unsigned, so they wrap. A real
 * product with 1 is exact and costs nothing compared with the memory access, so only integers have
 * a loop without it. Complex products are sums with a negated factor, which changes no bit: GCC
 * fuses a difference beside a sum even with fp-contract=off. */

/* Element i of a row. */
#define ACCESS(NAME, TYPE)                                                                         \
    KERNEL TYPE get_##NAME(const void *row, size_t i)                                              \
    {                                                                                              \
        TYPE x;                                                                                    \
        __builtin_memcpy(&x, (const char *)row + i * sizeof(x), sizeof(x));                        \
        return x;                                                                                  \
    }                                                                                              \
    KERNEL void set_##NAME(void *row, size_t i, TYPE x)                                            \
    {                                                                                              \
        __builtin_memcpy((char *)row + i * sizeof(x), &x, sizeof(x));                              \
    }

/* scale_: dst = a * src; add_: dst += src; accumulate_: dst += a * src. */
#define REAL_KERNELS(NAME, TYPE)                                                                   \
    ACCESS(NAME, TYPE)                                                                             \
    static void scale_##NAME(const void *a, const void *src, void *dst, size_t n)                  \
    {                                                                                              \
        const TYPE factor = get_##NAME(a, 0);                                                      \
        for (size_t i = 0; i < n; i++)                                                             \
            set_##NAME(dst, i, get_##NAME(src, i) * factor);                                       \
    }                                                                                              \
    KERNEL void accumulate_##NAME(struct rows r, TYPE a)                                           \
    {                                                                                              \
        for (size_t n = r.bytes / sizeof(TYPE); r.n > 0; next_row(&r))                             \
            _Pragma("GCC ivdep") for (size_t i = 0; i < n; i++)                                    \
                set_##NAME(r.dst, i, get_##NAME(r.dst, i) + a * get_##NAME(r.src, i));             \
    }

#define INTEGER_KERNELS(NAME, TYPE)                                                                \
    REAL_KERNELS(NAME, TYPE)                                                                       \
    KERNEL void add_##NAME(struct rows r)                                                          \
    {                                                                                              \
        for (size_t n = r.bytes / sizeof(TYPE); r.n > 0; next_row(&r))                             \
            _Pragma("GCC ivdep") for (size_t i = 0; i < n; i++)                                    \
                set_##NAME(r.dst, i, get_##NAME(r.dst, i) + get_##NAME(r.src, i));                 \
    }                                                                                              \
    KERNEL void run_##NAME(struct rows r, const void *a)                                           \
    {                                                                                              \
        get_##NAME(a, 0) == 1 ? add_##NAME(r) : accumulate_##NAME(r, get_##NAME(a, 0));            \
    }

/* n counts parts; with the scale 1 a complex sum is the sum of its parts. */
#define COMPLEX_KERNELS(NAME, REAL, TYPE)                                                          \
    static void scale_##NAME(const void *a, const void *src, void *dst, size_t n)                  \
    {                                                                                              \
        const TYPE re = get_##REAL(a, 0), im = get_##REAL(a, 1), minus_im = -im;                   \
        for (size_t i = 0; i < n; i += 2) {                                                        \
            const TYPE x = get_##REAL(src, i), y = get_##REAL(src, i + 1);                         \
            const TYPE real = re * x + minus_im * y;                                               \
            set_##REAL(dst, i, real);                                                              \
            set_##REAL(dst, i + 1, re * y + im * x);                                               \
        }                                                                                          \
    }                                                                                              \
    KERNEL void accumulate_##NAME(struct rows r, TYPE re, TYPE im)                                 \
    {                                                                                              \
        const TYPE minus_im = -im;                                                                 \
        for (size_t n = r.bytes / sizeof(TYPE); r.n > 0; next_row(&r))                             \
            _Pragma("GCC ivdep") for (size_t i = 0; i < n; i += 2)                                 \
            {                                                                                      \
                const TYPE x = get_##REAL(r.src, i), y = get_##REAL(r.src, i + 1);                 \
                set_##REAL(r.dst, i, get_##REAL(r.dst, i) + (re * x + minus_im * y));              \
                set_##REAL(r.dst, i + 1, get_##REAL(r.dst, i + 1) + (re * y + im * x));            \
            }                                                                                      \
    }                                                                                              \
    KERNEL void run_##NAME(struct rows r, const void *a)                                           \
    {                                                                                              \
        if (memcmp(a, (const TYPE[2]){1, 0}, 2 * sizeof(TYPE)) == 0)                               \
            accumulate_##REAL(r, 1);                                                               \
        else                                                                                       \
            accumulate_##NAME(r, get_##REAL(a, 0), get_##REAL(a, 1));                              \
    }

INTEGER_KERNELS(int, unsigned)
INTEGER_KERNELS(long, unsigned long)
REAL_KERNELS(float, float)
REAL_KERNELS(double, double)
COMPLEX_KERNELS(complex, float, float)
COMPLEX_KERNELS(dcomplex, double, double)

/* ---- scaling ---- */

void armcii_scale_copy(enum element e, const void *scale, const void *src, void *dst, size_t bytes)
{
    static void (*const kernel[ELEMENT_COUNT])(const void *, const void *, void *, size_t) = {
        [ELEMENT_INT] = scale_int,         [ELEMENT_LONG] = scale_long,
        [ELEMENT_FLOAT] = scale_float,     [ELEMENT_DOUBLE] = scale_double,
        [ELEMENT_COMPLEX] = scale_complex, [ELEMENT_DCOMPLEX] = scale_dcomplex,
    };
    assert(bytes % armcii_elements[e].size == 0);
    kernel[e](scale, src, dst, bytes / armcii_elements[e].align);
}

void armcii_scale_pack(enum element e, const void *scale, const struct shape *s, char *buffer)
{
    struct shape_iter it;
    struct segment seg;
    armcii_shape_begin(&it, s);
    while (armcii_shape_next(&it, &seg)) {
        armcii_scale_copy(e, scale, seg.local, buffer, seg.bytes);
        buffer += seg.bytes;
    }
}

/* ---- accumulate ---- */

KERNEL void run(enum element e, const void *scale, struct rows r)
{
    switch (e) {
    case ELEMENT_INT: run_int(r, scale); break;
    case ELEMENT_LONG: run_long(r, scale); break;
    case ELEMENT_FLOAT: accumulate_float(r, get_float(scale, 0)); break;
    case ELEMENT_DOUBLE: accumulate_double(r, get_double(scale, 0)); break;
    case ELEMENT_COMPLEX: run_complex(r, scale); break;
    case ELEMENT_DCOMPLEX: run_dcomplex(r, scale); break;
    case ELEMENT_COUNT: break;
    }
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static void run_avx2(enum element e, const void *scale,
                                                     const struct rows *r)
{
    run(e, scale, *r);
}
#endif

#ifdef AVX512
__attribute__((target(AVX512))) static void run_avx512(enum element e, const void *scale,
                                                       const struct rows *r)
{
    run(e, scale, *r);
}
#endif

/* Processors with AVX-512 but without VBMI2 lower their clock for arithmetic on 512 bits. */
static void run_best(enum element e, const void *scale, const struct rows *r)
{
    enum { AVX2_FROM = 64, AVX512_FROM = 512 }; /* not faster for shorter rows */
#ifdef AVX512
    if (r->bytes >= AVX512_FROM && __builtin_cpu_supports("avx512vbmi2")) {
        run_avx512(e, scale, r);
        return;
    }
#endif
#ifdef __x86_64__
    if (r->bytes >= AVX2_FROM && __builtin_cpu_supports("avx2")) {
        run_avx2(e, scale, r);
        return;
    }
#endif
    run(e, scale, *r);
}

void armcii_accumulate(enum element e, const void *scale, void *dst, const void *src, size_t bytes)
{
    const struct rows r = {dst, src, 0, 0, bytes, 1};
    if (e == ELEMENT_DOUBLE && bytes == sizeof(double)) /* the most frequent single element */
        set_double(dst, 0, get_double(dst, 0) + get_double(scale, 0) * get_double(src, 0));
    else
        run_best(e, scale, &r);
}

void armcii_accumulate_rows(enum element e, const void *scale, void *dst, ptrdiff_t dst_stride,
                            const void *src, ptrdiff_t src_stride, size_t bytes, size_t n)
{
    const struct rows r = {dst, src, dst_stride, src_stride, bytes, n};
    run_best(e, scale, &r);
}
