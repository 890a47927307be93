/* planner.c - the choice of a path. */
#include "transport/rma/planner.h"

#include <stdint.h>

#include "base/config.h"
#include "base/fault.h"
#include "mpi/quirks.h"

/* Do segments of one transfer meet in the memory that it writes?  MPI leaves the result open then. */
static bool writes_overlap(const struct located *t)
{
    if (armcii_fault("overlap-ignored")) return false;
    return !armcii_shape_is_disjoint(t->shape, t->verb.kind == RMA_GET ? SHAPE_LOCAL : SHAPE_REMOTE);
}

static size_t batch_size(void)
{
    size_t configured = armcii_config->batched_limit;
    if (configured == 0) configured = armcii_config->outstanding_limit;
    return configured < armcii_quirks->outstanding ? configured : armcii_quirks->outstanding;
}

/* Accumulates commute: where segments overlap, separate calls are enough.  Anything else must keep the order. */
static const struct path *for_overlapping(const struct located *t)
{
    return t->verb.kind == RMA_ACC ? &armcii_path_batched : &armcii_path_conservative;
}

static const struct path *with_datatype(const struct located *t)
{
    return armcii_path_datatype.can(t) ? &armcii_path_datatype : &armcii_path_batched;
}

/* By the vector methods; also for strided transfers that are to be treated as vectors.  A method is forced only where it is right. */
static const struct path *plan_vector(struct located *t)
{
    enum vector_method method = armcii_config->vector_method;
    t->typing = RMA_INDEXED;
    if (method == VECTOR_CONSERVATIVE) return &armcii_path_conservative;
    if (writes_overlap(t)) return for_overlapping(t);
    return method == VECTOR_BATCHED ? &armcii_path_batched : with_datatype(t);
}

static const struct path *plan_strided(struct located *t)
{
    if (armcii_config->strided_method == STRIDED_IOV) return plan_vector(t);
    if (writes_overlap(t)) return for_overlapping(t);
    t->typing = armcii_config->strided_method == STRIDED_HVECTOR ? RMA_HVECTOR : RMA_SUBARRAY;
    return with_datatype(t);
}

/* How many calls the path has in flight at once. */
static size_t calls_of(const struct path *path, const struct located *t)
{
    size_t calls = 1;
    if (path == &armcii_path_batched) calls = t->shape->nsegs;
    if (path == &armcii_path_datatype) calls = t->shape->bytes / armcii_config->datatype_limit + 1;
    return calls < t->batch ? calls : t->batch;
}

const struct path *armcii_plan(struct located *t)
{
    t->calls = 1;
    if (armcii_path_direct.can(t)) return &armcii_path_direct;
    if (armcii_path_server.can(t)) return &armcii_path_server;
    if (t->shape->form == SHAPE_CONTIGUOUS) return &armcii_path_contiguous;
    t->batch = batch_size();
    const struct path *path = t->shape->form == SHAPE_STRIDED ? plan_strided(t) : plan_vector(t);
    t->calls = calls_of(path, t);
    return path;
}
