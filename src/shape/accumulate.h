/* accumulate.h - the element types of accumulate: sizes, scaling, and dst[i] += scale * src[i] by
 * load and store. Pure. Elements need no alignment; integers wrap. */
#ifndef ARMCII_ACCUMULATE_H
#define ARMCII_ACCUMULATE_H

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

struct element_type {
    size_t size,
        align;        /* bytes; align: of the number it consists of, one of two in complex types */
    const char *name; /* "double" */
    const void *one;  /* the scale 1 */
};
extern const struct element_type armcii_elements[ELEMENT_COUNT];

/* True if *scale is 1. */
bool armcii_scale_is_one(enum element e, const void *scale);

/* dst[i] = *scale * src[i]; `bytes` is a multiple of the element size. dst is src or does not
 * overlap it. */
void armcii_scale_copy(enum element e, const void *scale, const void *src, void *dst, size_t bytes);

/* Packs the scaled local side into a buffer of s->bytes bytes. Every segment consists of whole
 * elements. */
void armcii_scale_pack(enum element e, const void *scale, const struct shape *s, char *buffer);

/* ---- accumulate: not atomic, the caller locks. The result equals, bit for bit, that of
 * armcii_scale_copy and an addition: product and sum are rounded separately. If
 * armcii_scale_is_one, it is that of the addition alone. src may be dst; otherwise they do not
 * overlap
 * ---- */

/* `bytes` contiguous bytes: whole elements. */
void armcii_accumulate(enum element e, const void *scale, void *dst, const void *src, size_t bytes);

/* n rows of `bytes` bytes: whole elements. Strides between the rows are in bytes, of either sign.
 * Rows of dst that overlap are updated one after the other. */
void armcii_accumulate_rows(enum element e, const void *scale, void *dst, ptrdiff_t dst_stride,
                            const void *src, ptrdiff_t src_stride, size_t bytes, size_t n);

enum op_kind { OP_PUT, OP_GET, OP_ACC };

/* What an operation does: its kind and, for accumulate, the element type. */
struct op_verb {
    enum op_kind kind;
    enum element element;
};

/* The update of a read-modify-write of an int or long. */
enum rmw_update { RMW_ADD, RMW_REPLACE };

#endif
