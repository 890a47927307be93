/* rma_contiguous.c - the path of a single contiguous piece. */
#include "path/path.h"

static bool can(const struct located *t)
{
    return t->shape->form == SHAPE_CONTIGUOUS;
}

static uint64_t issue(const struct located *t)
{
    const struct shape *s = t->shape;
    armcii_rma_contiguous(&t->place.region->window, t->verb, t->place.rank, s->local, s->remote - t->place.origin, s->bytes);
    return 0;
}

const struct path armcii_path_contiguous = {"contiguous", "one MPI call", STATS_CONTIGUOUS, can, issue};
