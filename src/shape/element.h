/* element.h - the element types of accumulate: sizes, scaling, (later) accumulate kernels.  Pure. */
#ifndef ARMCII_ELEMENT_H
#define ARMCII_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "shape/shape.h"

/* The values are those of ARMCI_Acc_e. */
enum element {
    ELEMENT_INT,
    ELEMENT_LONG,
    ELEMENT_FLOAT,
    ELEMENT_DOUBLE,
    ELEMENT_COMPLEX,
    ELEMENT_DCOMPLEX,
    ELEMENT_COUNT
};

/* Bytes of one element, of the number that sums are made of (of a complex one: its real part), and its name ("double").  Elements may lie
 * at any address: the processor's locks and MPI's updates of one element need no alignment. */
size_t armcii_element_size(enum element e);
size_t armcii_element_align(enum element e);
const char *armcii_element_name(enum element e);

/* The scale that leaves every value as it is. */
const void *armcii_element_one(enum element e);
/* Does *scale leave every value as it is? */
bool armcii_scale_is_one(enum element e, const void *scale);

/* dst[i] = *scale * src[i]; bytes is a multiple of the element's size.  dst may be src (the same or disjoint), nothing
 * needs alignment.  Integer products wrap. */
void armcii_scale_copy(enum element e, const void *scale, const void *src, void *dst, size_t bytes);

/* Pack the local side of the shape, scaled, into buffer (s->bytes bytes).  Every segment consists of whole elements. */
void armcii_scale_pack(enum element e, const void *scale, const struct shape *s, char *buffer);

/* What a read-modify-write does with an int or long. */
enum rmw_update { RMW_ADD, RMW_REPLACE };

#endif
