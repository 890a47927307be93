/* replay_shape.c - moving a layout server_map. */
#include "observe/replay_shape.h"

#include <stdint.h>
#include <stdlib.h>

enum { ALIGNMENT = 64, MOST_LOCAL = 1 << 26, MOST_SEGMENTS = 1 << 16, UNIT = 16 };

static size_t hull_bytes(const struct shape *s, enum shape_side side)
{
    char *lo, *hi;
    return armcii_shape_range(s, side, &lo, &hi) == SHAPE_OK ? (size_t)(hi - lo) : SIZE_MAX;
}

static bool fits(const struct shape *s, size_t room)
{
    return hull_bytes(s, SHAPE_REMOTE) <= room && hull_bytes(s, SHAPE_LOCAL) <= MOST_LOCAL;
}

static void halve(struct shape *s)
{
    size_t *outermost = &s->count[s->levels];
    if (s->levels == 0) {
        size_t half = *outermost / 2;
        *outermost = half > UNIT ? half / UNIT * UNIT : UNIT;
    } else {
        *outermost /= 2;
        if (*outermost == 1) s->levels--;
    }
    s->bytes = s->nsegs = 1;
    for (int level = 0; level <= s->levels; level++) {
        s->bytes *= s->count[level];
        if (level > 0) s->nsegs *= s->count[level];
    }
    if (s->levels == 0) s->form = SHAPE_CONTIGUOUS;
}

/* By how much to move an address so that the range that begins at lo begins in `room`, as far from a multiple of the alignment. */
static ptrdiff_t way(const char *lo, const char *room)
{
    size_t apart = (uintptr_t)lo - (uintptr_t)room;
    return (ptrdiff_t)((uintptr_t)room + apart % ALIGNMENT - (uintptr_t)lo);
}

static void *moved(void *address, ptrdiff_t by)
{
    return (void *)((uintptr_t)address + (uintptr_t)by);
}

/* Private memory for the local side; *by: the way there. */
static bool make_local(struct replay_shape *w, ptrdiff_t *by)
{
    char *lo, *hi;
    armcii_shape_range(&w->shape, SHAPE_LOCAL, &lo, &hi);
    w->local_bytes = (size_t)(hi - lo);
    w->memory = malloc(w->local_bytes + ALIGNMENT);
    if (!w->memory) return false;
    *by = way(lo, w->memory);
    w->local = moved(lo, *by);
    return true;
}

static bool move_strides(struct replay_shape *w, const struct shape *s, char *room, size_t bytes)
{
    char *lo, *hi;
    ptrdiff_t by;
    w->shape = *s;
    while (!fits(&w->shape, bytes)) halve(&w->shape);
    armcii_shape_range(&w->shape, SHAPE_REMOTE, &lo, &hi);
    if (!make_local(w, &by)) return false;
    w->shape.local = moved(w->shape.local, by);
    w->shape.remote = moved(w->shape.remote, way(lo, room));
    return true;
}

/* The first n segments of s, as they are: runs of those of one length. */
static void list_segments(struct replay_shape *w, const struct shape *s, size_t n)
{
    struct shape_iter it;
    struct segment seg;
    void **local = w->addresses, **remote = w->addresses + n;
    size_t runs = 0, i = 0;
    for (armcii_shape_begin(&it, s); i < n && armcii_shape_next(&it, &seg); i++) {
        local[i] = seg.local;
        remote[i] = seg.remote;
        if (runs > 0 && w->runs[runs - 1].bytes == seg.bytes)
            w->runs[runs - 1].n++;
        else
            w->runs[runs++] = (struct vector_run){local + i, remote + i, seg.bytes, 1};
    }
    armcii_shape_vector(&w->shape, w->runs, runs);
}

/* The first segments, as many as fit; 0: not even the first. */
static size_t list_those_that_fit(struct replay_shape *w, const struct shape *s, size_t bytes)
{
    size_t n = s->nsegs < MOST_SEGMENTS ? s->nsegs : MOST_SEGMENTS;
    for (; n > 0; n /= 2) {
        list_segments(w, s, n);
        if (fits(&w->shape, bytes)) return n;
    }
    return 0;
}

static bool move_first_segment(struct replay_shape *w, const struct shape *s, char *room, size_t bytes)
{
    struct shape_iter it;
    struct segment seg;
    struct shape first;
    armcii_shape_begin(&it, s);
    armcii_shape_next(&it, &seg);
    armcii_shape_contiguous(&first, seg.local, seg.remote, seg.bytes);
    return move_strides(w, &first, room, bytes);
}

static bool move_segments(struct replay_shape *w, const struct shape *s, char *room, size_t bytes)
{
    char *lo, *hi;
    ptrdiff_t by;
    size_t most = s->nsegs < MOST_SEGMENTS ? s->nsegs : MOST_SEGMENTS;
    w->addresses = malloc(2 * most * sizeof *w->addresses);
    w->runs = malloc(most * sizeof *w->runs);
    if (!w->addresses || !w->runs) return false;
    size_t n = list_those_that_fit(w, s, bytes);
    if (n < 2) return move_first_segment(w, s, room, bytes);
    armcii_shape_range(&w->shape, SHAPE_REMOTE, &lo, &hi);
    if (!make_local(w, &by)) return false;
    for (size_t i = 0; i < n; i++) {
        w->addresses[i] = moved(w->addresses[i], by);
        w->addresses[n + i] = moved(w->addresses[n + i], way(lo, room));
    }
    return true;
}

bool armcii_replay_shape_make(struct replay_shape *w, const struct shape *s, char *room, size_t bytes)
{
    *w = (struct replay_shape){0};
    bytes -= ALIGNMENT;
    bool made = s->form == SHAPE_VECTOR ? move_segments(w, s, room, bytes) : move_strides(w, s, room, bytes);
    if (!made) armcii_replay_shape_free(w);
    return made;
}

void armcii_replay_shape_free(struct replay_shape *w)
{
    free(w->memory);
    free(w->addresses);
    free(w->runs);
    *w = (struct replay_shape){0};
}
