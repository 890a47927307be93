/* element.h - the element types of accumulate: sizes and scaling.  Pure. */
#ifndef ARMCII_ELEMENT_H
#define ARMCII_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "shape/shape.h"

/* The values are those of ARMCI_Acc_e. */
enum element { ELEMENT_INT, ELEMENT_LONG, ELEMENT_FLOAT, ELEMENT_DOUBLE, ELEMENT_COMPLEX, ELEMENT_DCOMPLEX, ELEMENT_COUNT };

/* Bytes of an element, bytes of the number it consists of (for complex types, of one part), and its name ("double").  Elements need no
 * alignment. */
size_t armcii_element_size(enum element e);
size_t armcii_element_align(enum element e);
const char *armcii_element_name(enum element e);

/* The scale 1. */
const void *armcii_element_one(enum element e);
/* Is *scale 1? */
bool armcii_scale_is_one(enum element e, const void *scale);

/* dst[i] = *scale * src[i]; `bytes` is a multiple of the element size.  dst is src or does not overlap it; no alignment is required.
 * Integer products wrap. */
void armcii_scale_copy(enum element e, const void *scale, const void *src, void *dst, size_t bytes);

/* Packs the scaled local side into a buffer of s->bytes bytes.  Every segment consists of whole elements. */
void armcii_scale_pack(enum element e, const void *scale, const struct shape *s, char *buffer);

/* The update of a read-modify-write of an int or long. */
enum rmw_update { RMW_ADD, RMW_REPLACE };

#endif
