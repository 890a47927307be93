/* accumulate.h - dst[i] += scale * src[i] by load and store, for the element types of accumulate.
 *
 * Pure and not atomic: the caller locks.  The result equals, bit for bit, that of armcii_scale_copy and an addition: product and sum are
 * rounded separately, integers wrap.  If armcii_scale_is_one, it is that of the addition alone.  No alignment is required.  src may be
 * dst; otherwise they do not overlap. */
#ifndef ARMCII_ACCUMULATE_H
#define ARMCII_ACCUMULATE_H

#include <stddef.h>

#include "shape/element.h"

/* `bytes` contiguous bytes: whole elements. */
void armcii_accumulate(enum element e, const void *scale, void *dst, const void *src, size_t bytes);

/* n rows of `bytes` bytes: whole elements.  Strides between the rows are in bytes, of either sign.  Rows of dst that overlap are updated
 * one after the other. */
void armcii_accumulate_rows(enum element e, const void *scale, void *dst, ptrdiff_t dst_stride, const void *src, ptrdiff_t src_stride,
                            size_t bytes, size_t n);

#endif
