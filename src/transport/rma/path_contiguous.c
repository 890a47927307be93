/* path_contiguous.c - the path of a single contiguous piece. */
#include "transport/path.h"

static bool can(const struct located *t)
{
    return t->shape->form == SHAPE_CONTIGUOUS;
}

static uint64_t issue(const struct located *t)
{
    const struct shape *s = t->shape;
    armcii_rma_contiguous(&t->raddr.region->window, t->verb, t->raddr.rank, s->local, s->remote - t->raddr.origin, s->bytes);
    return 0;
}

const struct path armcii_path_contiguous = {"contiguous", "one MPI call", STATS_CONTIGUOUS, can, issue};
