/* handle.h - nonblocking handles: explicit, implicit, aggregate.
 * The public armci_hdl_t is a cookie of 8 bytes that may be uninitialised. The state lives in a
 * table; only a valid cookie finds it. */
#ifndef ARMCII_HANDLE_H
#define ARMCII_HANDLE_H

#include <stdbool.h>
#include <stddef.h>

#include <armci.h>

#include "core/op.h"
#include "mem/directory.h"
#include "shape/shape.h"

void armcii_handles_start(void);
/* Requires that all operations are complete. */
void armcii_handles_end(void);

/* Start op and attach it to the handle; NULL: the implicit handle. An aggregate handle queues
 * contiguous requests. 0 or an error code. */
int armcii_handle_start(armci_hdl_t *handle, const struct op *op);
/* Fast path: queue a contiguous put or get that matches the requests of an aggregate handle; false:
 * use armcii_handle_start. */
bool armcii_handle_queue_next(armci_hdl_t *handle, enum op_kind kind, int target, void *local,
                              void *remote, size_t bytes);
/* As armcii_handle_start for one value of at most 16 bytes, whose memory ends with the call: an
 * aggregate handle copies it, any other handle completes it at once. */
int armcii_handle_start_value(armci_hdl_t *handle, const struct op *op);
/* True if armcii_handle_start queues op. */
bool armcii_handle_would_queue(const armci_hdl_t *handle, const struct op *op);

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
 * handles. */
extern size_t armcii_handles_queued;
int armcii_aggregates_flush_slow(int target);
static inline int armcii_aggregates_flush(int target)
{
    return armcii_handles_queued > 0 ? armcii_aggregates_flush_slow(target) : 0;
}

/* ---- the queue of an aggregate handle (aggregate.c) ----
 *
 * Contiguous requests of one kind to one process, issued together as one vector transfer. */

struct aggregate {
    struct op first;    /* kind, target and element of all requests; valid if n > 0 */
    struct raddr raddr; /* slice of the last lookup, valid for this version of the directory */
    unsigned version;
    void **local, **remote; /* [n] */
    size_t *bytes;          /* [n] */
    size_t n, room;
    struct vector_run *runs; /* consecutive requests of equal length */
    struct buffer *copies;   /* local bytes of requests added with `copy` */
    char scale[16];          /* accumulate: the common scale */
};

/* True if op can be queued at all: contiguous, not empty. */
bool armcii_aggregate_accepts(const struct op *op);
/* True if op matches the queued requests. */
bool armcii_aggregate_fits(const struct aggregate *a, const struct op *op);
/* Queue op; with `copy`, copy its local bytes (at most 16). 0, or an error code if the address
 * lies in no region. */
int armcii_aggregate_add(struct aggregate *a, const struct op *op, bool copy);
/* Fast path: queue a put or get that matches the queued requests and lies in the slice of the last
 * lookup; false: use armcii_aggregate_add. */
bool armcii_aggregate_append(struct aggregate *a, enum op_kind kind, int target, void *local,
                             void *remote, size_t bytes);
/* True if a request for the target is queued (-1: for any). */
bool armcii_aggregate_has(const struct aggregate *a, int target);
/* Describe all requests as one transfer, which refers to *a; false if the queue is empty. */
bool armcii_aggregate_make_op(struct aggregate *a, struct op *op);
/* After the transfer of *sent was started and took over its copies: reuse the arrays of *sent in
 * *a, or free them if *a has arrays. */
void armcii_aggregate_recycle(struct aggregate *sent, struct aggregate *a);
void armcii_aggregate_free(struct aggregate *a);

#endif
