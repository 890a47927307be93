/* elements.c - sizes, values and the model of accumulate for the six element types. */
#include "elements.h"

#include <string.h>

static const struct {
    const char *name;
    size_t size;
    int parts;
} types[ELEMENT_TYPES] = {
    [ARMCI_ACC_INT] = { "int", sizeof(int), 1 },
    [ARMCI_ACC_LNG] = { "long", sizeof(long), 1 },
    [ARMCI_ACC_FLT] = { "float", sizeof(float), 1 },
    [ARMCI_ACC_DBL] = { "double", sizeof(double), 1 },
    [ARMCI_ACC_CPL] = { "complex", 2 * sizeof(float), 2 },
    [ARMCI_ACC_DCP] = { "double complex", 2 * sizeof(double), 2 },
};

size_t element_size(int type)
{
    return types[type].size;
}

int element_parts(int type)
{
    return types[type].parts;
}

const char *element_name(int type)
{
    return types[type].name;
}

int element_first(void)
{
    return test_ranks() <= 2 ? 0 : test_ranks() % 3;
}

int element_next(int type)
{
    return test_ranks() <= 2 ? type + 1 : type + 3;
}

static bool is_float(int type)
{
    return type == ARMCI_ACC_FLT || type == ARMCI_ACC_CPL;
}

/* Store v as one part of the type. */
static void store_part(int type, void *at, int v)
{
    long l = v;
    float f = (float)v;
    double d = v;

    if (type == ARMCI_ACC_INT)
        memcpy(at, &v, sizeof v);
    else if (type == ARMCI_ACC_LNG)
        memcpy(at, &l, sizeof l);
    else if (is_float(type))
        memcpy(at, &f, sizeof f);
    else
        memcpy(at, &d, sizeof d);
}

void element_fill(int type, struct rng *r, void *buffer, size_t bytes)
{
    size_t part = types[type].size / (size_t)types[type].parts;

    for (size_t at = 0; at + part <= bytes; at += part)
        store_part(type, (char *)buffer + at, rng_between(r, -9, 9));
}

union scale scale_one(int type)
{
    union scale s;

    memset(&s, 0, sizeof s);
    store_part(type, &s, 1);
    return s;
}

union scale scale_other(int type, struct rng *r)
{
    size_t part = types[type].size / (size_t)types[type].parts;
    union scale s, one = scale_one(type);

    do {
        memset(&s, 0, sizeof s);
        for (int p = 0; p < types[type].parts; p++)
            store_part(type, (char *)&s + (size_t)p * part, rng_between(r, -3, 3));
    } while (memcmp(&s, &one, sizeof s) == 0);
    return s;
}

static void accumulate_floats(int parts, const float scale[2], const char *src, char *dst)
{
    float s[2], d[2];

    memcpy(s, src, (size_t)parts * sizeof *s);
    memcpy(d, dst, (size_t)parts * sizeof *d);
    if (parts == 1) {
        d[0] += scale[0] * s[0];
    } else {
        d[0] += scale[0] * s[0] - scale[1] * s[1];
        d[1] += scale[0] * s[1] + scale[1] * s[0];
    }
    memcpy(dst, d, (size_t)parts * sizeof *d);
}

static void accumulate_doubles(int parts, const double scale[2], const char *src, char *dst)
{
    double s[2], d[2];

    memcpy(s, src, (size_t)parts * sizeof *s);
    memcpy(d, dst, (size_t)parts * sizeof *d);
    if (parts == 1) {
        d[0] += scale[0] * s[0];
    } else {
        d[0] += scale[0] * s[0] - scale[1] * s[1];
        d[1] += scale[0] * s[1] + scale[1] * s[0];
    }
    memcpy(dst, d, (size_t)parts * sizeof *d);
}

static void accumulate_int(int scale, const char *src, char *dst)
{
    int s, d;

    memcpy(&s, src, sizeof s);
    memcpy(&d, dst, sizeof d);
    d += scale * s;
    memcpy(dst, &d, sizeof d);
}

static void accumulate_long(long scale, const char *src, char *dst)
{
    long s, d;

    memcpy(&s, src, sizeof s);
    memcpy(&d, dst, sizeof d);
    d += scale * s;
    memcpy(dst, &d, sizeof d);
}

void element_accumulate(int type, const union scale *scale, const void *src, void *dst, size_t bytes)
{
    const char *s = src;
    char *d = dst;

    for (size_t at = 0; at < bytes; at += types[type].size) {
        if (type == ARMCI_ACC_INT)
            accumulate_int(scale->i, s + at, d + at);
        else if (type == ARMCI_ACC_LNG)
            accumulate_long(scale->l, s + at, d + at);
        else if (is_float(type))
            accumulate_floats(types[type].parts, scale->f, s + at, d + at);
        else
            accumulate_doubles(types[type].parts, scale->d, s + at, d + at);
    }
}
