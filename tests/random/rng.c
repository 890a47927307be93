/* rng.c - splitmix64. */
#include "rng.h"

uint64_t rng_next(struct rng *rng)
{
    uint64_t x = rng->state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

struct rng rng_start(uint64_t seed)
{
    struct rng rng = {seed};
    rng.state = rng_next(&rng) ^ (seed << 32);
    return rng;
}

long rng_below(struct rng *rng, long n)
{
    return n < 1 ? 0 : (long)((rng_next(rng) >> 1) % (uint64_t)n);
}

long rng_between(struct rng *rng, long lo, long hi)
{
    return hi < lo ? lo : lo + rng_below(rng, hi - lo + 1);
}

bool rng_chance(struct rng *rng, int percent)
{
    return rng_below(rng, 100) < percent;
}

void rng_permutation(struct rng *rng, int n, int order[])
{
    for (int i = 0; i < n; i++) {
        int j = (int)rng_below(rng, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}
