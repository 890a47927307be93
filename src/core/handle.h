/* handle.h - nonblocking handles: explicit, implicit, aggregate.
 * The public armci_hdl_t is a cookie of 8 bytes that may be uninitialised. The state lives in a
 * table; only a valid cookie finds it. */
#ifndef ARMCII_HANDLE_H
#define ARMCII_HANDLE_H

#include <stdbool.h>
#include <stddef.h>

#include <armci.h>

#include "core/aggregate.h"
#include "core/op.h"

void armcii_handles_start(void);
/* Requires that all operations are complete. */
void armcii_handles_end(void);

/* Start op and attach it to the handle; NULL: the implicit handle. An aggregate handle queues what
 * is cheaper together with others. 0 or an error code. */
int armcii_handle_start(armci_hdl_t *handle, const struct op *op);
/* Fast path: the list of an aggregate handle that has requests like these, in the slice of
 * `remote`; NULL: use armcii_handle_start. */
struct aggregate *armcii_handle_list(const armci_hdl_t *handle, const struct aggregate_key *key,
                                     const void *remote);
/* As armcii_handle_start for one value of at most 16 bytes, whose memory ends with the call: an
 * aggregate handle copies it, any other handle completes it at once. */
int armcii_handle_start_value(armci_hdl_t *handle, const struct op *op);

/* Flush the handle's queue, complete its operations locally and reset the cookie. 0 or an error
 * code. */
int armcii_handle_wait(armci_hdl_t *handle);

/* Flush the handle's queue. 0: all operations are complete, as after a wait; else incomplete, or
 * an error code. Operations through windows are completed, since MPI offers no test for them. */
int armcii_handle_test(armci_hdl_t *handle);

/* Reset a cookie; make a handle aggregate or plain. A handle that becomes plain flushes its queue.
 */
void armcii_handle_clear(armci_hdl_t *handle);
void armcii_handle_set_aggregate(armci_hdl_t *handle);
int armcii_handle_unset_aggregate(armci_hdl_t *handle);

/* Number of handles with queued requests; flush the requests for a target (-1: for any) of all
 * handles. more: as that of struct op. */
extern size_t armcii_handles_queued;
int armcii_aggregates_flush_slow(int target, bool more);
static inline int armcii_aggregates_flush(int target, bool more)
{
    return armcii_handles_queued > 0 ? armcii_aggregates_flush_slow(target, more) : 0;
}

#endif
