/* report.h - the end of a job in which ARMCI_VERIFY has proved an operation wrong. */
#ifndef ARMCII_REPORT_H
#define ARMCII_REPORT_H

#include <stdbool.h>

#include "mem/directory.h"
#include "core/op.h"
#include "shape/shape.h"

/* Print the operation, the path it takes, the evidence (formatted as by printf) and rows of the quirk table that may explain it; abort. */
_Noreturn void armcii_report_op(const struct op *op, enum path path, const char *evidence, ...)
    __attribute__((format(printf, 3, 4), cold));
/* The same for a read-modify-write. */
_Noreturn void armcii_report_rmw(const char *caller, enum path path, int target, const char *evidence, ...)
    __attribute__((format(printf, 4, 5), cold));

/* ---- readback ---- */

/* A second look at remote memory, past the planner and its paths: what ARMCI_CHECK compares with.
 *
 * Where this process can load the bytes, by loads; else by contiguous gets, however the transfer went.  Others may change the bytes
 * meanwhile: a look is no snapshot. */

/* Read the remote side of s, in the slice `raddr` of process `target`, into `into` (s->bytes bytes), segments in order.  Nothing of this
 * process is pending there. */
void armcii_readback(const struct raddr *raddr, int target, const struct shape *s, char *into);

#endif
