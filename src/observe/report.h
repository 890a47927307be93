/* report.h - failure report of the verification, and the readback of remote memory. */
#ifndef ARMCII_REPORT_H
#define ARMCII_REPORT_H

#include <stdbool.h>

#include "mem/directory.h"
#include "core/op.h"
#include "shape/shape.h"

/* Print the operation, its path, the evidence (printf format) and rows of the quirk table that may explain it; abort the job. */
_Noreturn void armcii_report_op(const struct op *op, enum path path, const char *evidence, ...) __attribute__((format(printf, 3, 4), cold));
/* The same for a read-modify-write. */
_Noreturn void armcii_report_rmw(const char *caller, enum path path, int target, const char *evidence, ...)
    __attribute__((format(printf, 4, 5), cold));

/* ---- readback ---- */

/* Read the remote side of s, in the slice `raddr` of process `target`, into `into` (s->bytes bytes), segments in order: by loads if the
 * slice is mapped, otherwise by contiguous gets, whatever path the verified transfer took.  Not atomic: other processes may write
 * meanwhile.  Requires that no operation of this process is pending there. */
void armcii_readback(const struct raddr *raddr, int target, const struct shape *s, char *into);

#endif
