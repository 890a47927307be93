/* pattern.c - the pattern. */
#include "pattern.h"

#include <string.h>

#include "program.h"

static uint64_t hash(uint64_t x)
{
    return rng_next(&(struct rng){x});
}

long pattern_number(uint64_t seed, long x, long unit)
{
    uint64_t h = hash(seed + (uint64_t)x);
    return unit ? unit * (1 + (long)(h % 2)) : (long)(h % 101) - 50;
}

void pattern_store(char *to, long x, long n, struct content content)
{
    long part = part_of(content.type);
    for (long i = 0; i < n; i += part) {
        if (content.type == TYPE_BYTES)
            to[i] = (char)(hash(content.seed + (uint64_t)((x + i) >> 3)) >> (8 * ((x + i) & 7)));
        else
            element_store(content.type, to + i, pattern_number(content.seed, x + i, content.unit));
    }
}
