/* method.c - choice of the method, and the methods. */
#include "transport/rma/rma.h"

#include "base/config.h"
#include "mpi/datatype.h"
#include "mpi/quirks.h"

/* ---- choice ---- */

/* True if segments overlap in the memory that the operation writes. Then MPI leaves the result of
 * one call undefined. */
static bool writes_overlap(const struct rma_op *op)
{
    return !armcii_shape_is_disjoint(op->shape,
                                     op->verb.kind == OP_GET ? SHAPE_LOCAL : SHAPE_REMOTE);
}

static size_t batch_size(void)
{
    size_t configured = armcii_config->outstanding_limit;
    return configured < armcii_quirks->outstanding ? configured : armcii_quirks->outstanding;
}

/* Accumulates commute, so separate calls are enough. Other operations must keep the order of the
 * segments. */
static enum path choose_for_overlapping(const struct rma_op *op)
{
    return op->verb.kind == OP_ACC ? PATH_BATCHED : PATH_CONSERVATIVE;
}

static bool is_datatype_supported(const struct rma_op *op)
{
    const struct quirks *q = armcii_quirks;
    if (op->shape->form == SHAPE_STRIDED && op->typing != RMA_INDEXED &&
        !armcii_datatype_is_supported(op->shape))
        return false;
    if (op->shape->form == SHAPE_VECTOR && op->shape->bytes > armcii_config->datatype_limit)
        return false;
    if (op->verb.kind != OP_ACC) return true;
    if (op->shape->nsegs > q->acc_segments) return false;
    return op->typing == RMA_INDEXED ? q->acc_indexed_types : q->acc_strided_types;
}

static enum path choose_datatype(const struct rma_op *op)
{
    return is_datatype_supported(op) ? PATH_DATATYPE : PATH_BATCHED;
}

/* Also for strided operations that are configured as vectors. A configured method applies only if
 * it is correct. */
static enum path choose_for_vector(struct rma_op *op)
{
    enum vector_method method = armcii_config->vector_method;
    op->typing = RMA_INDEXED;
    if (method == VECTOR_CONSERVATIVE) return PATH_CONSERVATIVE;
    if (writes_overlap(op)) return choose_for_overlapping(op);
    return op->by_segment || method == VECTOR_BATCHED ? PATH_BATCHED : choose_datatype(op);
}

static enum path choose_for_strided(struct rma_op *op)
{
    if (op->by_segment || armcii_config->strided_method == STRIDED_IOV)
        return choose_for_vector(op);
    if (writes_overlap(op)) return choose_for_overlapping(op);
    op->typing = RMA_STRIDED;
    return choose_datatype(op);
}

static size_t calls_in_flight(const struct rma_op *op)
{
    size_t calls = 1;
    if (op->path == PATH_BATCHED) calls = op->shape->nsegs;
    if (op->path == PATH_DATATYPE) calls = op->shape->bytes / armcii_config->datatype_limit + 1;
    return calls < op->batch ? calls : op->batch;
}

void armcii_rma_choose(struct rma_op *op)
{
    op->batch = op->calls = 1;
    op->path = PATH_CONTIGUOUS;
    if (op->shape->form == SHAPE_CONTIGUOUS) return;
    op->batch = batch_size();
    op->path = op->shape->form == SHAPE_STRIDED ? choose_for_strided(op) : choose_for_vector(op);
    op->calls = calls_in_flight(op);
}

bool armcii_rma_joins(struct op_verb verb)
{
    enum vector_method method = armcii_config->vector_method;
    if (method == VECTOR_CONSERVATIVE || method == VECTOR_BATCHED) return false;
    return verb.kind != OP_ACC ||
           (armcii_quirks->acc_indexed_types && armcii_quirks->acc_segments == SIZE_MAX);
}

/* ---- methods ---- */

static void issue_segment(const struct rma_op *op, const struct segment *seg)
{
    armcii_window_transfer(op->window, op->verb, op->rank, seg->local, seg->remote - op->origin,
                           seg->bytes);
}

/* Called before each call: flushes a full batch. */
static void limit_batch(const struct rma_op *op, size_t *in_flight)
{
    if ((*in_flight)++ < op->batch) return;
    armcii_rma_flush_local(op->window, op->rank, op->target);
    *in_flight = 1;
}

/* MPI counts are ints, and libraries are little tested beyond: larger shapes are split. */
static void issue_datatype(const struct rma_op *op)
{
    struct shape chunk;
    size_t position = 0, in_flight = 0;
    if (op->shape->bytes <= armcii_config->datatype_limit) {
        armcii_window_transfer_shape(op->window, op->verb, op->rank, op->shape, op->origin,
                                     op->typing);
        return;
    }
    while (armcii_shape_chunk(op->shape, armcii_config->datatype_limit, &position, &chunk)) {
        limit_batch(op, &in_flight);
        armcii_window_transfer_shape(op->window, op->verb, op->rank, &chunk, op->origin,
                                     op->typing);
    }
}

static void issue_batched(const struct rma_op *op)
{
    struct shape_iter it;
    struct segment seg;
    size_t in_flight = 0;
    for (armcii_shape_begin(&it, op->shape); armcii_shape_next(&it, &seg);) {
        limit_batch(op, &in_flight);
        issue_segment(op, &seg);
    }
}

static void issue_conservative(const struct rma_op *op)
{
    struct shape_iter it;
    struct segment seg;
    for (armcii_shape_begin(&it, op->shape); armcii_shape_next(&it, &seg);) {
        issue_segment(op, &seg);
        armcii_rma_flush(op->window, op->rank, op->target);
    }
}

void armcii_rma_issue(const struct rma_op *op)
{
    switch (op->path) {
    case PATH_CONTIGUOUS:
        issue_segment(op, &(struct segment){op->shape->local, op->shape->remote, op->shape->bytes});
        return;
    case PATH_DATATYPE: issue_datatype(op); return;
    case PATH_BATCHED: issue_batched(op); return;
    default: issue_conservative(op);
    }
}
