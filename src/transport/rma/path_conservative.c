/* path_conservative.c - the path of one contiguous call per segment, in order. */
#include "transport/path.h"

#include "transport/rma/progress.h"

static bool can(const struct located *t)
{
    (void)t;
    return true;
}

static uint64_t issue(const struct located *t)
{
    struct window *w = &t->raddr.region->window;
    struct shape_iter it;
    struct segment seg;
    for (armcii_shape_begin(&it, t->shape); armcii_shape_next(&it, &seg);) {
        armcii_rma_contiguous(w, t->verb, t->raddr.rank, seg.local, seg.remote - t->raddr.origin, seg.bytes);
        armcii_rma_flush(w, t->raddr.rank, t->target);
    }
    return 0;
}

const struct path armcii_path_conservative = {"conservative", "one MPI call per segment, each complete before the next",
                                              STATS_CONSERVATIVE, can, issue};
