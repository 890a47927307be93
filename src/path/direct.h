/* direct.h - loads and stores of memory that this host shares: what the path `direct` is made of, and what small operations use
 * immediately.  `there` is the remote side in this process. */
#ifndef ARMCII_DIRECT_H
#define ARMCII_DIRECT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/mutant.h"
#include "gmr/directory.h"
#include "shape/copy.h"
#include "shape/element.h"

/* Stores may still be in this processor's buffer. */
extern bool armcii_direct_stored;

static inline void armcii_direct_put(char *there, const void *local, size_t bytes)
{
    if (armcii_mutant("transfers-do-nothing") || armcii_mutant("put-does-nothing")) return;
    armcii_copy(there, local, bytes);
    armcii_direct_stored = true;
}

static inline void armcii_direct_get(const char *there, void *local, size_t bytes)
{
    if (armcii_mutant("transfers-do-nothing") || armcii_mutant("get-does-nothing")) return;
    armcii_copy(local, there, bytes);
}

/* *scale times `bytes` at local are added to `remote` of the process, which is at remote + delta here; scale NULL: once.  Atomic for each
 * element against all accumulates of this host. */
void armcii_direct_accumulate(enum element e, const void *scale, int process, const char *remote, ptrdiff_t delta, const void *local,
                              size_t bytes);

/* All stores so far are seen by all. */
static inline void armcii_direct_settle(void)
{
    if (!armcii_direct_stored || armcii_mutant("flush-dropped")) return;
    armcii_direct_stored = false;
    atomic_thread_fence(memory_order_seq_cst);
}

#endif
