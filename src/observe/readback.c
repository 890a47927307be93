/* readback.c - a second look at remote memory. */
#include "observe/readback.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/rma.h"
#include "transport/am/client.h"
#include "transport/rma/progress.h"
#include "mpi/world.h"

enum { IN_FLIGHT = 64, SMALL_HULL = 4096, POISON = 0x5b };

static const struct rma_verb GET = {.kind = RMA_GET};

/* Where raddr->lo can be loaded; NULL: nowhere.  Its own memory a process loads even where all transfers go through MPI. */
static const char *loadable(const struct raddr *raddr, int target)
{
    return target == armcii_world->rank ? raddr->lo : raddr->mapped;
}

static void load(const struct raddr *raddr, const char *from, const struct shape *s, char *into)
{
    struct shape_iter it;
    struct segment seg;
    if (raddr->region->has_window) armcii_window_sync(&raddr->region->window);
    atomic_thread_fence(memory_order_seq_cst);
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg); into += seg.bytes)
        memcpy(into, from + (seg.remote - raddr->lo), seg.bytes);
}

static void ask_server(const struct raddr *raddr, int target, const struct shape *s, char *into)
{
    struct remote from = {target, raddr->server, raddr->delta};
    struct shape_iter it;
    struct segment seg;
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg); into += seg.bytes) {
        struct shape piece;
        armcii_shape_contiguous(&piece, into, seg.remote, seg.bytes);
        uint64_t asked = armcii_client_get(&from, &piece);
        if (asked) armcii_client_finish(asked);
    }
}

static void get_pieces(const struct raddr *raddr, int target, const struct shape *s, char *into)
{
    struct window *w = &raddr->region->window;
    struct shape_iter it;
    struct segment seg;
    size_t in_flight = 0;
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg); into += seg.bytes) {
        armcii_rma_contiguous(w, GET, raddr->rank, into, seg.remote - raddr->origin, seg.bytes);
        if (++in_flight % IN_FLIGHT == 0) armcii_rma_flush(w, raddr->rank, target);
    }
    armcii_rma_flush(w, raddr->rank, target);
}

static void ask(const struct raddr *raddr, int target, const struct shape *s, char *into)
{
    memset(into, POISON, s->bytes); /* what does not come is not to look like what came before */
    if (raddr->served)
        ask_server(raddr, target, s, into);
    else
        get_pieces(raddr, target, s, into);
}

/* Many small pieces close to each other: their range in one piece, into memory that it returns (to free); NULL: not so, or no memory. */
static char *ask_hull(const struct raddr *raddr, int target, const struct shape *s, char **lo)
{
    char *hi;
    struct shape range;
    if (s->form == SHAPE_CONTIGUOUS || armcii_shape_range(s, SHAPE_REMOTE, lo, &hi) != SHAPE_OK) return NULL;
    size_t bytes = (size_t)(hi - *lo);
    if (bytes > 4 * s->bytes + SMALL_HULL) return NULL;
    char *memory = malloc(bytes);
    if (!memory) return NULL;
    armcii_shape_contiguous(&range, memory, *lo, bytes);
    ask(raddr, target, &range, memory);
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
    char *range = ask_hull(raddr, target, s, &lo);
    if (!range) {
        ask(raddr, target, s, into);
        return;
    }
    struct shape_iter it;
    struct segment seg;
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg); into += seg.bytes) memcpy(into, range + (seg.remote - lo), seg.bytes);
    free(range);
}
