/* rng.h - random numbers: the same from the same seed on every machine. */
#ifndef RANDOM_RNG_H
#define RANDOM_RNG_H

#include <stdbool.h>
#include <stdint.h>

struct rng {
    uint64_t state;
};

/* A generator for `seed`; neighbouring seeds give unlike sequences. */
struct rng rng_start(uint64_t seed);
uint64_t rng_next(struct rng *rng);
/* 0 .. n-1; 0 where n < 1. */
long rng_below(struct rng *rng, long n);
/* lo .. hi; lo where hi < lo. */
long rng_between(struct rng *rng, long lo, long hi);
/* true in `percent` of 100 cases. */
bool rng_chance(struct rng *rng, int percent);
/* 0 .. n-1 in random order. */
void rng_permutation(struct rng *rng, int n, int order[]);

#endif
