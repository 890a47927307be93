/* accumulate.h - dst[i] += scale * src[i] by load and store, for the element types of accumulate.
 *
 * Pure; not atomic: locks are the caller's.  The result is, bit for bit, that of armcii_scale_copy followed by an
 * addition (product and sum are rounded each; integers wrap); with a scale that armcii_scale_is_one, of the addition
 * alone.  Nothing needs to be aligned.  src may be dst; otherwise they do not overlap. */
#ifndef ARMCII_ACCUMULATE_H
#define ARMCII_ACCUMULATE_H

#include <stddef.h>

#include "shape/element.h"

/* One piece of `bytes` bytes, whole elements. */
void armcii_accumulate(enum element e, const void *scale, void *dst, const void *src, size_t bytes);

/* n rows of `bytes` bytes, whole elements, their starts a stride apart (any sign, in bytes).  Rows of dst that overlap
 * one another are updated one after the other. */
void armcii_accumulate_rows(enum element e, const void *scale, void *dst, ptrdiff_t dst_stride, const void *src,
                            ptrdiff_t src_stride, size_t bytes, size_t n);

#endif
