/* path_direct.c - the path of loads and stores, for targets whose memory this node shares. */
#include "transport/path.h"
#include "transport/shm/apply.h"

/* Where a region has a window, some of its members accumulate through MPI, and updates by MPI and by the processor are not atomic against
 * each other. */
static bool can(const struct located *t)
{
    return t->raddr.mapped && (t->verb.kind != RMA_ACC || !t->raddr.region->has_window);
}

static uint64_t issue(const struct located *t)
{
    ptrdiff_t delta = t->raddr.mapped - t->raddr.lo;
    switch (t->verb.kind) {
    case RMA_PUT: armcii_apply_put(t->shape, delta); break;
    case RMA_GET: armcii_apply_get(t->shape, delta); break;
    case RMA_ACC: armcii_apply_accumulate(t->verb.element, t->scale, t->target, delta, t->shape); break;
    }
    return 0;
}

const struct path armcii_path_direct = {"direct", "loads and stores in memory that the node shares", STATS_DIRECT, can, issue};
