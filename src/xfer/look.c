/* look.c - a second look at remote memory. */
#include "xfer/look.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/rma.h"
#include "server/client.h"
#include "server/progress.h"
#include "team/world.h"

enum { IN_FLIGHT = 64, SMALL_HULL = 4096, POISON = 0x5b };

static const struct rma_verb GET = {.kind = RMA_GET};

/* Where place->lo can be loaded; NULL: nowhere.  Its own memory a process loads even where all transfers go through MPI. */
static const char *loadable(const struct place *place, int target)
{
    return target == armcii_world->rank ? place->lo : place->mapped;
}

static void load(const struct place *place, const char *from, const struct shape *s, char *into)
{
    struct shape_iter it;
    struct segment seg;
    if (place->region->has_window) armcii_window_sync(&place->region->window);
    atomic_thread_fence(memory_order_seq_cst);
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg); into += seg.bytes)
        memcpy(into, from + (seg.remote - place->lo), seg.bytes);
}

static void ask_agent(const struct place *place, int target, const struct shape *s, char *into)
{
    struct remote from = {target, place->agent, place->delta};
    struct shape_iter it;
    struct segment seg;
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg); into += seg.bytes) {
        struct shape piece;
        armcii_shape_contiguous(&piece, into, seg.remote, seg.bytes);
        uint64_t asked = armcii_client_get(&from, &piece);
        if (asked) armcii_client_finish(asked);
    }
}

static void get_pieces(const struct place *place, int target, const struct shape *s, char *into)
{
    struct window *w = &place->region->window;
    struct shape_iter it;
    struct segment seg;
    size_t in_flight = 0;
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg); into += seg.bytes) {
        armcii_rma_contiguous(w, GET, place->rank, into, seg.remote - place->origin, seg.bytes);
        if (++in_flight % IN_FLIGHT == 0) armcii_progress_flush(w, place->rank, target);
    }
    armcii_progress_flush(w, place->rank, target);
}

static void ask(const struct place *place, int target, const struct shape *s, char *into)
{
    memset(into, POISON, s->bytes); /* what does not come is not to look like what came before */
    if (place->served)
        ask_agent(place, target, s, into);
    else
        get_pieces(place, target, s, into);
}

/* Many small pieces close to each other: their hull in one piece, into memory that it returns (to free); NULL: not so, or no memory. */
static char *ask_hull(const struct place *place, int target, const struct shape *s, char **lo)
{
    char *hi;
    struct shape hull;
    if (s->form == SHAPE_CONTIGUOUS || armcii_shape_hull(s, SHAPE_REMOTE, lo, &hi) != SHAPE_OK) return NULL;
    size_t bytes = (size_t)(hi - *lo);
    if (bytes > 4 * s->bytes + SMALL_HULL) return NULL;
    char *memory = malloc(bytes);
    if (!memory) return NULL;
    armcii_shape_contiguous(&hull, memory, *lo, bytes);
    ask(place, target, &hull, memory);
    return memory;
}

void armcii_look(const struct place *place, int target, const struct shape *s, char *into)
{
    const char *from = loadable(place, target);
    char *lo;
    if (from) {
        load(place, from, s, into);
        return;
    }
    char *hull = ask_hull(place, target, s, &lo);
    if (!hull) {
        ask(place, target, s, into);
        return;
    }
    struct shape_iter it;
    struct segment seg;
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg); into += seg.bytes) memcpy(into, hull + (seg.remote - lo), seg.bytes);
    free(hull);
}
