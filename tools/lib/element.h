/* element.h - the six element types of accumulate as the tests see them: small whole numbers whose
 * sums and products are exact in every type, so that the order of accumulates does not change a
 * bit. No address needs alignment. */
#ifndef TOOLS_LIB_ELEMENT_H
#define TOOLS_LIB_ELEMENT_H

#include <armci.h>

#include "rng.h"

/* A type is an ARMCI_Acc_e, or plain bytes. */
enum { ELEMENT_TYPES = 6, TYPE_BYTES = ELEMENT_TYPES };

size_t element_size(int type);
/* Numbers in an element: 2 for complex, else 1. */
int element_parts(int type);
/* The size of one of them. */
size_t element_part(int type);
const char *element_name(int type);

/* A number as one part of the type. */
void element_store(int type, void *part, long number);
/* LONG_MAX: no number that could have been stored. */
long element_load(int type, const void *part);

/* Fill `bytes` bytes with elements: whole numbers from -9 to 9.  Plain bytes: any. */
void element_fill(int type, struct rng *r, void *buffer, size_t bytes);

/* A scale of that type; im is for complex types. Other: parts from -3 to 3, not one. */
union scale {
    int i;
    long l;
    float f[2];
    double d[2];
};
union scale scale_of(int type, int re, int im);
union scale scale_one(int type);
union scale scale_other(int type, struct rng *r);

/* The model of accumulate: dst[i] += scale * src[i]. */
void element_accumulate(int type, const union scale *scale, const void *src, void *dst,
                        size_t bytes);

#endif
