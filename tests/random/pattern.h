/* pattern.h - what memory is filled with: a function of a seed and of where the bytes lie, so that every process knows what
 * every other one stores, in whatever shape it is fetched. */
#ifndef RANDOM_PATTERN_H
#define RANDOM_PATTERN_H

#include <stdint.h>

#include "../lib/element.h"

/* What is stored.  unit 0: bytes of any value, elements from -50 to 50.  Else: elements of once or twice `unit`. */
struct content {
    uint64_t seed;
    int type;
    long unit;
};

/* Fill to[0..n) with what belongs at offset x, whole elements of the type. */
void pattern_store(char *to, long x, long n, struct content content);
/* The number at offset x; of complex elements: of a part. */
long pattern_number(uint64_t seed, long x, long unit);

#endif
