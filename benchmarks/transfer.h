/* transfer.h - the loops of ARMCI calls that are timed in more than one group of rows. */
#ifndef ARMCI_BENCH_TRANSFER_H
#define ARMCI_BENCH_TRANSFER_H

#include "row.h"

/* One call for each time; the patch is one segment. */
void transfer_put(const struct row *row, const struct site *site, long times);
void transfer_get(const struct row *row, const struct site *site, long times);
void transfer_acc(const struct row *row, const struct site *site, long times);

#endif
