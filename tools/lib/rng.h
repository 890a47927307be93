/* rng.h - random numbers of tests and the doctor (splitmix64): the same from the same seed on every
 * machine.
 */
#ifndef TOOLS_LIB_RNG_H
#define TOOLS_LIB_RNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct rng {
    uint64_t state;
};

static inline uint64_t rng_next(struct rng *r)
{
    uint64_t x = r->state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* A generator for `seed`; neighbouring seeds give unlike sequences. */
static inline struct rng rng_start(uint64_t seed)
{
    struct rng r = {seed};
    r.state = rng_next(&r) ^ (seed << 32);
    return r;
}

/* 0 .. n-1; 0 where n < 1. */
static inline long rng_below(struct rng *r, long n)
{
    return n < 1 ? 0 : (long)((rng_next(r) >> 1) % (uint64_t)n);
}

/* lo .. hi; lo where hi < lo. */
static inline long rng_range(struct rng *r, long lo, long hi)
{
    return hi < lo ? lo : lo + rng_below(r, hi - lo + 1);
}

static inline int rng_between(struct rng *r, int lo, int hi)
{
    return (int)rng_range(r, lo, hi);
}

/* true in `percent` of 100 cases. */
static inline bool rng_chance(struct rng *r, int percent)
{
    return rng_below(r, 100) < percent;
}

static inline void rng_bytes(struct rng *r, void *buffer, size_t n)
{
    for (size_t i = 0; i < n; i += 8) {
        uint64_t x = rng_next(r);
        memcpy((char *)buffer + i, &x, n - i < 8 ? n - i : 8);
    }
}

static inline void rng_shuffle(struct rng *r, int list[], int n)
{
    for (int i = n - 1; i > 0; i--) {
        int j = (int)rng_below(r, i + 1), keep = list[i];
        list[i] = list[j];
        list[j] = keep;
    }
}

/* 0 .. n-1 in random order. */
static inline void rng_permutation(struct rng *r, int n, int order[])
{
    for (int i = 0; i < n; i++)
        order[i] = i;
    rng_shuffle(r, order, n);
}

#endif
