/* path_datatype.c - the path by derived datatypes: subarray, hvector or indexed. */
#include "transport/path.h"

#include "base/config.h"
#include "mpi/datatype.h"
#include "mpi/quirks.h"
#include "transport/rma/progress.h"

/* MPI counts are ints, and libraries are least tested beyond: larger transfers go in parts. */
static size_t largest(void)
{
    return armcii_config->datatype_limit;
}

static bool can(const struct located *t)
{
    const struct quirks *q = armcii_quirks;
    if (t->shape->form == SHAPE_STRIDED && t->typing != RMA_INDEXED && !armcii_datatype_is_right(t->shape)) return false;
    if (t->shape->form == SHAPE_VECTOR && t->shape->bytes > largest()) return false;
    if (t->verb.kind != RMA_ACC) return true;
    if (t->shape->nsegs > q->acc_segments) return false;
    return t->typing == RMA_INDEXED ? q->acc_indexed_types : q->acc_strided_types;
}

static uint64_t issue(const struct located *t)
{
    struct window *w = &t->raddr.region->window;
    if (t->shape->bytes <= largest()) {
        armcii_rma_shape(w, t->verb, t->raddr.rank, t->shape, t->raddr.origin, t->typing);
        return 0;
    }
    struct shape part;
    size_t position = 0, in_flight = 0;
    while (armcii_shape_part(t->shape, largest(), &position, &part)) {
        if (in_flight++ == t->batch) {
            armcii_rma_flush_local(w, t->raddr.rank, t->target);
            in_flight = 1;
        }
        armcii_rma_shape(w, t->verb, t->raddr.rank, &part, t->raddr.origin, t->typing);
    }
    return 0;
}

const struct path armcii_path_datatype = {"datatype", "one MPI call with derived datatypes", STATS_DATATYPE, can, issue};
