/* elements.h - the six element types of accumulate as the tests see them: small values whose sums and products are
 * exact in every type, so that the order of accumulates does not change a bit. */
#ifndef TEST_ELEMENTS_H
#define TEST_ELEMENTS_H

#include "harness.h"

enum { ELEMENT_TYPES = 6 };

/* `type` is an ARMCI_Acc_e.  Parts: 2 for complex, else 1. */
size_t element_size(int type);
int element_parts(int type);
const char *element_name(int type);

/* The first type to try, and the one after `type`: all of them on 1 or 2 ranks, every third on more, others on 3 than
 * on 4 (see effort).  ELEMENT_TYPES or more: no further one. */
int element_first(void);
int element_next(int type);

/* Fill `bytes` bytes with elements: whole numbers from -9 to 9. */
void element_fill(int type, struct rng *r, void *buffer, size_t bytes);

/* A scale of that type.  One: leaves values as they are.  Other: parts from -3 to 3, not one. */
union scale {
    int i;
    long l;
    float f[2];
    double d[2];
};
union scale scale_one(int type);
union scale scale_other(int type, struct rng *r);

/* The model of accumulate: dst[i] += scale * src[i]; no address needs alignment. */
void element_accumulate(int type, const union scale *scale, const void *src, void *dst, size_t bytes);

#endif
