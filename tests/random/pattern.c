/* pattern.c - the pattern.  Its core is compiled here and printed into the programs that remain after shrinking, from one text. */
#include "pattern.h"

#include <string.h>

/* clang-format off */
#define COMPILED_AND_KEPT(...) __VA_ARGS__ const char *const pattern_source = #__VA_ARGS__

COMPILED_AND_KEPT(
static unsigned long mix(unsigned long x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ul;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebul;
    return x ^ (x >> 31);
}

static long number(unsigned long seed, long x, long unit)
{
    unsigned long h = mix(seed + (unsigned long)x);
    return unit ? unit * (1 + (long)(h % 2)) : (long)(h % 101) - 50;
}

static void store_number(char *to, long n, int type)
{
    int i = (int)n;
    float f = (float)n;
    double d = (double)n;
    if (type == 0) memcpy(to, &i, sizeof i);
    if (type == 1) memcpy(to, &n, sizeof n);
    if (type == 2 || type == 4) memcpy(to, &f, sizeof f);
    if (type == 3 || type == 5) memcpy(to, &d, sizeof d);
}

static void store(char *to, long x, long n, unsigned long seed, int type, long unit)
{
    long part = type == 6 ? 1 : type == 0 || type == 2 || type == 4 ? 4 : 8;
    for (long i = 0; i < n; i += part) {
        if (type == 6)
            to[i] = (char)(mix(seed + (unsigned long)((x + i) >> 3)) >> (8 * ((x + i) & 7)));
        else
            store_number(to + i, number(seed, x + i, unit), type);
    }
}

static unsigned long hash_on(unsigned long hash, const char *bytes, long n)
{
    for (long i = 0; i < n; i++) hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3ul;
    return hash;
}
);
/* clang-format on */

const uint64_t pattern_hash_start = 0xcbf29ce484222325ul;

long pattern_number(uint64_t seed, long x, long unit)
{
    return number(seed, x, unit);
}

void pattern_store(char *to, long x, long n, struct content content)
{
    store(to, x, n, content.seed, content.type, content.unit);
}

uint64_t pattern_hash(uint64_t hash, const char *bytes, long n)
{
    return hash_on(hash, bytes, n);
}
