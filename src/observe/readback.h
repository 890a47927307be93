/* readback.h - readback of remote memory, and reference accumulate: sums of whole arrays, independent of the kernels, and their comparison
 * with readback.  Arrays hold the numbers of the elements (a complex number is two) and may be unaligned. */
#ifndef ARMCII_READBACK_H
#define ARMCII_READBACK_H

#include <stddef.h>

#include "shape/element.h"
#include "transport/transport.h"

/* Read the remote side of s, in the slice `raddr` of process `target`, into `into` (s->bytes bytes), segments in order: by loads if the
 * slice is mapped, otherwise by contiguous gets, whatever path the verified transfer took.  Not atomic: other processes may write
 * meanwhile.  Requires that no operation of this process is pending there. */
void armcii_readback(const struct raddr *raddr, int target, const struct shape *s, char *into);

/* ---- reference accumulate ---- */

/* sums[i] += addends[i]. */
void armcii_reference_add(enum element e, char *sums, const char *addends, size_t bytes);
/* The largest magnitude in an array. */
double armcii_reference_largest(enum element e, const char *numbers, size_t bytes);
/* The offset of the first wrong number; `bytes` if there is none.  Real numbers may differ by `slack` units of the type's precision, since
 * another order of additions rounds differently; any number matches one that is expected not to be finite. */
size_t armcii_reference_compare(enum element e, const char *seen, const char *expected, size_t bytes, double slack);

#endif
