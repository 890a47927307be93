/* report.h - the end of a job in which ARMCI_VERIFY has proved an operation wrong. */
#ifndef ARMCII_REPORT_H
#define ARMCII_REPORT_H

#include <stdbool.h>

#include "mem/directory.h"
#include "core/op.h"

/* Print the operation, the path it takes, the evidence (formatted as by printf) and rows of the quirk table that may explain it; abort. */
_Noreturn void armcii_report_op(const struct op *op, const struct raddr *raddr, const char *evidence, ...)
    __attribute__((format(printf, 3, 4), cold));
/* The same for a read-modify-write. */
_Noreturn void armcii_report_rmw(const char *caller, const struct raddr *raddr, int target, const char *evidence, ...)
    __attribute__((format(printf, 4, 5), cold));

#endif
