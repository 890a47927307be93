/* element.c - sizes, names and scaling of the element types of accumulate. */
#include <assert.h>
#include <string.h>

#include "shape/element.h"

static const struct {
    size_t size, align;
    const char *name;
} elements[ELEMENT_COUNT] = {
    [ELEMENT_INT] = {sizeof(int), sizeof(int), "int"},
    [ELEMENT_LONG] = {sizeof(long), sizeof(long), "long"},
    [ELEMENT_FLOAT] = {sizeof(float), sizeof(float), "float"},
    [ELEMENT_DOUBLE] = {sizeof(double), sizeof(double), "double"},
    [ELEMENT_COMPLEX] = {2 * sizeof(float), sizeof(float), "complex"},
    [ELEMENT_DCOMPLEX] = {2 * sizeof(double), sizeof(double), "double complex"},
};

size_t armcii_element_size(enum element e)
{
    return elements[e].size;
}

size_t armcii_element_align(enum element e)
{
    return elements[e].align;
}

const char *armcii_element_name(enum element e)
{
    return elements[e].name;
}

const void *armcii_element_one(enum element e)
{
    static const int i = 1;
    static const long l = 1;
    static const float c[2] = {1, 0};
    static const double z[2] = {1, 0};
    static const void *const one[ELEMENT_COUNT] = {&i, &l, c, z, c, z};
    return one[e];
}

bool armcii_scale_is_one(enum element e, const void *scale)
{
    return memcmp(scale, armcii_element_one(e), elements[e].size) == 0;
}

/* memcpy is the portable unaligned access; compilers make it one load or store.  Integers are unsigned, so products wrap. */

static void scale_int(const void *scale, const char *src, char *dst, size_t bytes)
{
    unsigned a, x;
    memcpy(&a, scale, sizeof(a));
    for (size_t at = 0; at + sizeof(x) <= bytes; at += sizeof(x)) {
        memcpy(&x, src + at, sizeof(x));
        x *= a;
        memcpy(dst + at, &x, sizeof(x));
    }
}

static void scale_long(const void *scale, const char *src, char *dst, size_t bytes)
{
    unsigned long a, x;
    memcpy(&a, scale, sizeof(a));
    for (size_t at = 0; at + sizeof(x) <= bytes; at += sizeof(x)) {
        memcpy(&x, src + at, sizeof(x));
        x *= a;
        memcpy(dst + at, &x, sizeof(x));
    }
}

static void scale_float(const void *scale, const char *src, char *dst, size_t bytes)
{
    float a, x;
    memcpy(&a, scale, sizeof(a));
    for (size_t at = 0; at + sizeof(x) <= bytes; at += sizeof(x)) {
        memcpy(&x, src + at, sizeof(x));
        x *= a;
        memcpy(dst + at, &x, sizeof(x));
    }
}

static void scale_double(const void *scale, const char *src, char *dst, size_t bytes)
{
    double a, x;
    memcpy(&a, scale, sizeof(a));
    for (size_t at = 0; at + sizeof(x) <= bytes; at += sizeof(x)) {
        memcpy(&x, src + at, sizeof(x));
        x *= a;
        memcpy(dst + at, &x, sizeof(x));
    }
}

static void scale_complex(const void *scale, const char *src, char *dst, size_t bytes)
{
    float a[2], x[2], y[2];
    memcpy(a, scale, sizeof(a));
    for (size_t at = 0; at + sizeof(x) <= bytes; at += sizeof(x)) {
        memcpy(x, src + at, sizeof(x));
        y[0] = a[0] * x[0] + -a[1] * x[1]; /* not a difference: compilers would fuse it */
        y[1] = a[0] * x[1] + a[1] * x[0];
        memcpy(dst + at, y, sizeof(y));
    }
}

static void scale_dcomplex(const void *scale, const char *src, char *dst, size_t bytes)
{
    double a[2], x[2], y[2];
    memcpy(a, scale, sizeof(a));
    for (size_t at = 0; at + sizeof(x) <= bytes; at += sizeof(x)) {
        memcpy(x, src + at, sizeof(x));
        y[0] = a[0] * x[0] + -a[1] * x[1]; /* not a difference: compilers would fuse it */
        y[1] = a[0] * x[1] + a[1] * x[0];
        memcpy(dst + at, y, sizeof(y));
    }
}

void armcii_scale_copy(enum element e, const void *scale, const void *src, void *dst, size_t bytes)
{
    static void (*const kernel[ELEMENT_COUNT])(const void *, const char *, char *, size_t) = {
        [ELEMENT_INT] = scale_int,       [ELEMENT_LONG] = scale_long,       [ELEMENT_FLOAT] = scale_float,
        [ELEMENT_DOUBLE] = scale_double, [ELEMENT_COMPLEX] = scale_complex, [ELEMENT_DCOMPLEX] = scale_dcomplex,
    };
    assert(bytes % elements[e].size == 0);
    kernel[e](scale, src, dst, bytes);
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
