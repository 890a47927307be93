/* reference.h - reference accumulate: sums of whole arrays, independent of the kernels, and their comparison with readback.
 * Arrays hold the numbers of the elements (a complex number is two) and may be unaligned. */
#ifndef ARMCII_REFERENCE_H
#define ARMCII_REFERENCE_H

#include <stddef.h>

#include "shape/accumulate.h"

/* sums[i] += addends[i]. */
void armcii_reference_add(enum element e, char *sums, const char *addends, size_t bytes);
/* The largest magnitude in an array. */
double armcii_reference_largest(enum element e, const char *numbers, size_t bytes);
/* The offset of the first wrong number; `bytes` if there is none.  Real numbers may differ by `slack` units of the type's precision, since
 * another order of additions rounds differently; any number matches one that is expected not to be finite. */
size_t armcii_reference_compare(enum element e, const char *seen, const char *expected, size_t bytes, double slack);

#endif
