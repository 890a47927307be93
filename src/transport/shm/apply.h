/* apply.h - transfers carried out by loads and stores of memory that the node shares: for its own processes, and on behalf of those on
 * other nodes.  The remote side is given as its owner knows it and is at + delta in this process; locks go by the owner's addresses. */
#ifndef ARMCII_APPLY_H
#define ARMCII_APPLY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "shape/copy.h"
#include "shape/element.h"
#include "shape/shape.h"
#include "transport/transport.h"

void armcii_apply_put(const struct shape *s, ptrdiff_t delta);
void armcii_apply_get(const struct shape *s, ptrdiff_t delta);
/* *scale times the local side is added to memory of `process` (a rank of the world); scale NULL: once.  Atomic for each element against
 * all accumulates applied on this node. */
void armcii_apply_accumulate(enum element e, const void *scale, int process, ptrdiff_t delta, const struct shape *s);
/* The same for one contiguous piece. */
void armcii_apply_accumulate_piece(enum element e, const void *scale, int process, const char *remote, ptrdiff_t delta, const void *local,
                                   size_t bytes);

/* Atomic read-modify-write of an int or long (`bytes` = sizeof) at `there`, an address of this process; operand holds one of that type
 * in its first bytes.  Returns what was there.  It is seen by all, and what was stored before it, once this returns. */
long armcii_apply_rmw(enum rmw_update update, size_t bytes, void *there, long operand);

/* The program has an address from ARMCIX_Local_address, and may store there by itself: fences are for that, too. */
extern bool armcii_program_stores;

/* After the loads of a get: what the caller loads or stores later is not older than what was got.  On x86 no instruction. */
static inline void armcii_apply_got(void)
{
    atomic_thread_fence(memory_order_acquire);
}

/* One contiguous piece: the way of small operations.  `there` is the remote side in this process. */
static inline void armcii_apply_put_piece(char *there, const void *local, size_t bytes)
{
    if (armcii_fault("transfers-do-nothing") || armcii_fault("put-does-nothing")) return;
    armcii_copy(there, local, bytes);
    armcii_stores_pending = true;
}

static inline void armcii_apply_get_piece(const char *there, void *local, size_t bytes)
{
    if (armcii_fault("transfers-do-nothing") || armcii_fault("get-does-nothing")) return;
    armcii_copy(local, there, bytes);
    armcii_apply_got();
}

#endif
