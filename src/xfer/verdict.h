/* verdict.h - the end of a job in which ARMCI_CHECK has proved an operation wrong. */
#ifndef ARMCII_VERDICT_H
#define ARMCII_VERDICT_H

#include <stdbool.h>

#include "gmr/directory.h"
#include "xfer/transfer.h"

/* Print the operation, the path it takes, the evidence (formatted as by printf) and rows of the quirk table that may explain it; abort. */
_Noreturn void armcii_verdict_transfer(const struct transfer *t, const struct place *place, const char *evidence, ...)
    __attribute__((format(printf, 3, 4), cold));
/* The same for a read-modify-write. */
_Noreturn void armcii_verdict_rmw(const char *caller, const struct place *place, int target, const char *evidence, ...)
    __attribute__((format(printf, 4, 5), cold));

#endif
