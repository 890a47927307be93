/* path_batched.c - the path of one contiguous call per segment, many in flight. */
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
    size_t in_flight = 0;
    for (armcii_shape_begin(&it, t->shape); armcii_shape_next(&it, &seg);) {
        if (in_flight++ == t->batch) {
            armcii_rma_flush_local(w, t->raddr.rank, t->target);
            in_flight = 1;
        }
        armcii_rma_contiguous(w, t->verb, t->raddr.rank, seg.local, seg.remote - t->raddr.origin, seg.bytes);
    }
    return 0;
}

const struct path armcii_path_batched = {"batched", "one MPI call per segment, completed in batches", STATS_BATCHED, can, issue};
