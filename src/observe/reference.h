/* reference.h - what an accumulate must give: sums of whole arrays, made apart from the kernels, and compared with what was seen.
 * Arrays hold the numbers that the elements consist of (a complex number is two), at any address. */
#ifndef ARMCII_REFERENCE_H
#define ARMCII_REFERENCE_H

#include <stddef.h>

#include "shape/element.h"

/* sums[i] += addends[i]. */
void armcii_reference_add(enum element e, char *sums, const char *addends, size_t bytes);
/* The largest magnitude in an array. */
double armcii_reference_largest(enum element e, const char *numbers, size_t bytes);
/* The offset of the first number that is not as expected; `bytes` where all are.  Sums in another order round differently: real numbers
 * may differ by `slack` units of the type's precision; one that is expected to be no finite number may be anything. */
size_t armcii_reference_compare(enum element e, const char *seen, const char *expected, size_t bytes, double slack);

#endif
