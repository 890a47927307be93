/* report.h - failure report of the verification. */
#ifndef ARMCII_REPORT_H
#define ARMCII_REPORT_H

#include <stdbool.h>

#include "mem/directory.h"
#include "core/op.h"
#include "shape/shape.h"

/* Print the operation, its path, the evidence (printf format) and rows of the quirk table that may explain it; abort the job. */
_Noreturn void armcii_report_op(const struct op *op, enum path path, const char *evidence, ...) __attribute__((format(printf, 3, 4), cold));
/* The same for ARMCI_Rmw. */
_Noreturn void armcii_report_rmw(enum path path, int target, const char *evidence, ...) __attribute__((format(printf, 3, 4), cold));

#endif
