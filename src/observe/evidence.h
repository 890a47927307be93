/* evidence.h - what verification judges by: readback of remote memory, and reference accumulate, which adds up whole arrays independently
 * of the kernels; and the report of a failure.  Arrays hold the numbers of the elements (a complex number is two) and may be unaligned. */
#ifndef ARMCII_EVIDENCE_H
#define ARMCII_EVIDENCE_H

#include <stddef.h>

#include "shape/accumulate.h"
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

/* ---- report ---- */

/* Print the operation, its path, the evidence (printf format) and rows of the quirk table that may explain it; abort the job. */
_Noreturn void armcii_report_op(const struct op *op, enum path path, const char *evidence, ...) __attribute__((format(printf, 3, 4), cold));
/* The same for ARMCI_Rmw. */
_Noreturn void armcii_report_rmw(enum path path, int target, const char *evidence, ...) __attribute__((format(printf, 3, 4), cold));

#endif
