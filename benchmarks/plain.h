/* plain.h - plain MPI messages, the reference of rows between nodes. */
#ifndef ARMCI_BENCH_PLAIN_H
#define ARMCI_BENCH_PLAIN_H

#include "site.h"

#include <stdbool.h>

/* Make a communicator whose ranks are those of ARMCI, which may leave some processes out.  Collective; false where
 * memory is short. */
bool plain_open(const struct site *site);
void plain_close(void);

#endif
