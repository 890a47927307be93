/* handle.h - non-blocking handles: explicit, implicit, aggregate.
 * The public armci_hdl_t is a cookie of 8 bytes that may hold garbage; the state lives in a table here and is found only by a cookie that
 * was given out and not yet taken back. */
#ifndef ARMCII_HANDLE_H
#define ARMCII_HANDLE_H

#include <stdbool.h>
#include <stddef.h>

#include <armci.h>

#include "core/op.h"

void armcii_handles_start(void);
/* Everything is complete; frees the table. */
void armcii_handles_end(void);

/* Start op and leave its completion to the handle; NULL: the implicit handle.  An aggregate handle keeps contiguous requests until later.
 * 0 or an error code. */
int armcii_handle_start(armci_hdl_t *handle, const struct op *op);
/* The short way of a contiguous put or get that an aggregate handle keeps behind others like it; false: take the other way. */
bool armcii_handle_queue_next(armci_hdl_t *handle, enum rma_kind kind, int target, void *local, void *remote, size_t bytes);
/* As armcii_handle_start for one value of at most 16 bytes, which is copied. */
int armcii_handle_start_value(armci_hdl_t *handle, const struct op *op);

/* Issue what an aggregate handle kept, complete locally all that the handle carries; the cookie is taken back.  0 or an error code. */
int armcii_handle_wait(armci_hdl_t *handle);

/* Issue what an aggregate handle kept.  0: all that the handle carries is complete, as after a wait; else not yet (what windows carry is
 * completed: only waiting tells), or an error code. */
int armcii_handle_test(armci_hdl_t *handle);

/* Forget what a cookie says; begin and end collecting. */
void armcii_handle_clear(armci_hdl_t *handle);
void armcii_handle_set_aggregate(armci_hdl_t *handle);
int armcii_handle_unset_aggregate(armci_hdl_t *handle);

/* Issue what all aggregate handles kept for a process (-1: for any).  A fence looks for them only where there are any. */
extern size_t armcii_handles_queued;
int armcii_handles_flush_queued(int target);
static inline int armcii_handles_issue(int target)
{
    return armcii_handles_queued > 0 ? armcii_handles_flush_queued(target) : 0;
}

#endif
