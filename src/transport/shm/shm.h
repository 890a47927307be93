/* shm.h - the transport shm: loads, stores and atomic instructions on memory that the processes of
 * a node share. Operations are complete when they return; a fence drains the processor's stores.
 */
#ifndef ARMCII_SHM_H
#define ARMCII_SHM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "shape/accumulate.h"
#include "shape/copy.h"
#include "shape/shape.h"
#include "transport/transport.h"

extern const struct transport armcii_shm;
extern const struct mutexes armcii_shm_mutexes; /* of a team on one node */

/* ---- transfers by load and store (apply.c) ----
 *
 * On memory that the node shares, which has the same addresses in all its processes: for these and
 * for requests of other nodes. */

void armcii_apply_put(const struct shape *s);
void armcii_apply_get(const struct shape *s);
/* Adds *scale (NULL: 1) times the local side to memory of `process`, a world rank. Each element is
 * updated atomically with respect to all accumulates applied on this node. */
void armcii_apply_accumulate(enum element e, const void *scale, int process, const struct shape *s);
/* The same for one segment. */
void armcii_apply_accumulate_segment(enum element e, const void *scale, int process,
                                     const void *remote, const void *local, size_t bytes);

/* Atomic read-modify-write of an int or long (`bytes` = sizeof) at `there`. The operand is in the
 * first bytes of `operand`. Returns the old value. Sequentially consistent: earlier stores are
 * visible, too. */
long armcii_apply_rmw(enum rmw_update update, size_t bytes, void *there, long operand);

/* The program has an address from ARMCIX_Local_address and may store there, so a fence must always
 * drain stores. */
extern bool armcii_program_stores;

/* One segment, inline for small operations. `there` is the remote side. */
static inline void armcii_apply_put_segment(char *there, const void *local, size_t bytes)
{
    armcii_copy(there, local, bytes);
    armcii_stores_pending = true;
}

static inline void armcii_apply_get_segment(const char *there, void *local, size_t bytes)
{
    armcii_load(local, there, bytes);
    atomic_thread_fence(memory_order_acquire); /* as in armcii_apply_get */
}

#endif
