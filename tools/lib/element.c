/* element.c - sizes, values and the model of accumulate for the six element types. */
#include "element.h"

#include <limits.h>

static const struct {
    const char *name;
    size_t size;
    int parts;
} types[] = {
    [ARMCI_ACC_INT] = {"int", sizeof(int), 1},
    [ARMCI_ACC_LNG] = {"long", sizeof(long), 1},
    [ARMCI_ACC_FLT] = {"float", sizeof(float), 1},
    [ARMCI_ACC_DBL] = {"double", sizeof(double), 1},
    [ARMCI_ACC_CPL] = {"complex", 2 * sizeof(float), 2},
    [ARMCI_ACC_DCP] = {"double complex", 2 * sizeof(double), 2},
    [TYPE_BYTES] = {"bytes", 1, 1},
};

size_t element_size(int type)
{
    return types[type].size;
}

int element_parts(int type)
{
    return types[type].parts;
}

size_t element_part(int type)
{
    return types[type].size / (size_t)types[type].parts;
}

const char *element_name(int type)
{
    return types[type].name;
}

void element_store(int type, void *part, long number)
{
    switch (type) {
    case ARMCI_ACC_INT: memcpy(part, &(int){(int)number}, sizeof(int)); break;
    case ARMCI_ACC_LNG: memcpy(part, &number, sizeof number); break;
    case ARMCI_ACC_FLT:
    case ARMCI_ACC_CPL: memcpy(part, &(float){(float)number}, sizeof(float)); break;
    default: memcpy(part, &(double){(double)number}, sizeof(double));
    }
}

long element_load(int type, const void *part)
{
    int i;
    long l;
    float f;
    double d;
    switch (type) {
    case ARMCI_ACC_INT: memcpy(&i, part, sizeof i); return i;
    case ARMCI_ACC_LNG: memcpy(&l, part, sizeof l); return l;
    case ARMCI_ACC_FLT:
    case ARMCI_ACC_CPL:
        memcpy(&f, part, sizeof f);
        d = (double)f;
        break;
    default: memcpy(&d, part, sizeof d);
    }
    return d > -1e15 && d < 1e15 ? (long)d : LONG_MAX;
}

void element_fill(int type, struct rng *r, void *buffer, size_t bytes)
{
    size_t part = element_part(type);
    if (type == TYPE_BYTES)
        rng_bytes(r, buffer, bytes);
    else
        for (size_t at = 0; at + part <= bytes; at += part)
            element_store(type, (char *)buffer + at, rng_between(r, -9, 9));
}

union scale scale_of(int type, int re, int im)
{
    union scale s;
    memset(&s, 0, sizeof s);
    element_store(type, &s, re);
    if (types[type].parts == 2) element_store(type, (char *)&s + element_part(type), im);
    return s;
}

union scale scale_one(int type)
{
    return scale_of(type, 1, 0);
}

union scale scale_other(int type, struct rng *r)
{
    int re, im;
    do {
        re = rng_between(r, -3, 3);
        im = types[type].parts == 2 ? rng_between(r, -3, 3) : 0;
    } while (re == 1 && im == 0);
    return scale_of(type, re, im);
}

void element_accumulate(int type, const union scale *scale, const void *src, void *dst,
                        size_t bytes)
{
    size_t size = types[type].size, part = element_part(type);
    bool complex = types[type].parts == 2;
    long a = element_load(type, scale),
         b = complex ? element_load(type, (const char *)scale + part) : 0;
    for (size_t at = 0; at < bytes; at += size) {
        const char *s = (const char *)src + at;
        char *d = (char *)dst + at;
        long re = element_load(type, s), im = complex ? element_load(type, s + part) : 0;
        element_store(type, d, element_load(type, d) + a * re - b * im);
        if (complex) element_store(type, d + part, element_load(type, d + part) + a * im + b * re);
    }
}
