/* readback.c - a second look at remote memory. */
#include "observe/readback.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/op.h"
#include "mpi/world.h"

enum { SMALL_RANGE = 4096, POISON = 0x5b };

/* Where raddr->lo can be loaded; NULL: nowhere.  Its own memory a process loads even where all transfers go through MPI. */
static const char *loadable(const struct raddr *raddr, int target)
{
    return target == armcii_world->rank ? raddr->lo : raddr->mapped;
}

static void load(const struct raddr *raddr, const char *from, const struct shape *s, char *into)
{
    struct shape_iter it;
    struct segment seg;
    armcii_region_sync(raddr->region);
    atomic_thread_fence(memory_order_seq_cst);
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg); into += seg.bytes)
        memcpy(into, from + (seg.remote - raddr->lo), seg.bytes);
}

/* By a contiguous get, which the route may carry by another transport than the operation that is verified. */
static void get_piece(const struct raddr *raddr, int target, char *into, char *remote, size_t bytes)
{
    struct op op = {.caller = "ARMCI_VERIFY", .verb = {.kind = RMA_GET}, .target = target};
    struct request req = {0};
    armcii_shape_contiguous(&op.shape, into, remote, bytes);
    raddr->route->contiguous->start(&op, raddr, remote, remote + bytes, &req);
    armcii_op_finish(&req);
}

static void get_segments(const struct raddr *raddr, int target, const struct shape *s, char *into)
{
    memset(into, POISON, s->bytes); /* what does not come is not to look like what came before */
    struct shape_iter it;
    struct segment seg;
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg); into += seg.bytes) get_piece(raddr, target, into, seg.remote, seg.bytes);
}

/* Many small pieces close to each other: their range in one piece, into memory that it returns (to free); NULL: not so, or no memory. */
static char *get_range(const struct raddr *raddr, int target, const struct shape *s, char **lo)
{
    char *hi;
    struct shape range;
    if (s->form == SHAPE_CONTIGUOUS || armcii_shape_range(s, SHAPE_REMOTE, lo, &hi) != SHAPE_OK) return NULL;
    size_t bytes = (size_t)(hi - *lo);
    if (bytes > 4 * s->bytes + SMALL_RANGE) return NULL;
    char *memory = malloc(bytes);
    if (!memory) return NULL;
    armcii_shape_contiguous(&range, memory, *lo, bytes);
    get_segments(raddr, target, &range, memory);
    return memory;
}

void armcii_readback(const struct raddr *raddr, int target, const struct shape *s, char *into)
{
    const char *from = loadable(raddr, target);
    char *lo;
    if (from) {
        load(raddr, from, s, into);
        return;
    }
    char *range = get_range(raddr, target, s, &lo);
    if (!range) {
        get_segments(raddr, target, s, into);
        return;
    }
    struct shape_iter it;
    struct segment seg;
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg); into += seg.bytes) memcpy(into, range + (seg.remote - lo), seg.bytes);
    free(range);
}
