/* sums.c - sums of arrays. */
#include "xfer/sums.h"

#include <float.h>
#include <stdbool.h>
#include <string.h>

static bool is_integer(enum element e)
{
    return e == ELEMENT_INT || e == ELEMENT_LONG;
}

/* A number of the array, of a real type. */
static double real_at(size_t size, const char *at)
{
    double d;
    float f;
    if (size == sizeof d) {
        memcpy(&d, at, sizeof d);
        return d;
    }
    memcpy(&f, at, sizeof f);
    return (double)f;
}

/* Arrays may lie anywhere: numbers go through variables. */
static void add_floats(char *sums, const char *addends, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += sizeof(float)) {
        float a, b;
        memcpy(&a, sums + i, sizeof a);
        memcpy(&b, addends + i, sizeof b);
        a += b;
        memcpy(sums + i, &a, sizeof a);
    }
}

static void add_doubles(char *sums, const char *addends, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += sizeof(double)) {
        double a, b;
        memcpy(&a, sums + i, sizeof a);
        memcpy(&b, addends + i, sizeof b);
        a += b;
        memcpy(sums + i, &a, sizeof a);
    }
}

/* Unsigned: they wrap. */
static void add_ints(char *sums, const char *addends, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += sizeof(unsigned)) {
        unsigned a, b;
        memcpy(&a, sums + i, sizeof a);
        memcpy(&b, addends + i, sizeof b);
        a += b;
        memcpy(sums + i, &a, sizeof a);
    }
}

static void add_longs(char *sums, const char *addends, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += sizeof(unsigned long)) {
        unsigned long a, b;
        memcpy(&a, sums + i, sizeof a);
        memcpy(&b, addends + i, sizeof b);
        a += b;
        memcpy(sums + i, &a, sizeof a);
    }
}

void armcii_sums_add(enum element e, char *sums, const char *addends, size_t bytes)
{
    static void (*const adders[ELEMENT_COUNT])(char *, const char *, size_t) = {
        [ELEMENT_INT] = add_ints,     [ELEMENT_LONG] = add_longs,    [ELEMENT_FLOAT] = add_floats,
        [ELEMENT_COMPLEX] = add_floats, [ELEMENT_DOUBLE] = add_doubles, [ELEMENT_DCOMPLEX] = add_doubles};
    adders[e](sums, addends, bytes);
}

double armcii_sums_largest(enum element e, const char *numbers, size_t bytes)
{
    size_t size = armcii_element_align(e);
    double largest = 0;
    for (size_t i = 0; !is_integer(e) && i < bytes; i += size) {
        double d = real_at(size, numbers + i);
        if (d < 0) d = -d;
        if (d > largest || d != d) largest = d; /* NaN stays */
    }
    return largest;
}

static bool is_close(size_t size, const char *seen, const char *expected, double slack)
{
    double s = real_at(size, seen), e = real_at(size, expected);
    double unit = size == sizeof(double) ? DBL_EPSILON : (double)FLT_EPSILON;
    double apart = s > e ? s - e : e - s;
    if (e - e != 0) return true; /* no finite number */
    return apart <= slack * unit || !(slack * unit <= DBL_MAX);
}

size_t armcii_sums_compare(enum element e, const char *seen, const char *expected, size_t bytes, double slack)
{
    size_t size = armcii_element_align(e);
    if (memcmp(seen, expected, bytes) == 0) return bytes;
    for (size_t i = 0; i < bytes; i += size) {
        if (memcmp(seen + i, expected + i, size) == 0) continue;
        if (is_integer(e) || !is_close(size, seen + i, expected + i, slack)) return i;
    }
    return bytes;
}
