/* patch.c - draws random strided shapes. */
#include "patch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Draw levels and counts with a total within the limit; now and then a count of 1 or 0. */
static void draw_counts(struct rng *r, const struct patch_wish *w, struct patch *p)
{
    size_t left = w->max_bytes / (size_t)w->unit;
    int most = left < 40 ? (int)left : 40;
    p->levels = rng_between(r, w->min_levels, w->max_levels);
    p->count[0] = w->unit * rng_between(r, 1, rng_chance(r, 70) && most > 5 ? 5 : most);
    left = w->max_bytes / (size_t)p->count[0];
    for (int i = 1; i <= p->levels; i++) {
        most = p->levels > 4 ? 3 : 9;
        if ((size_t)most > left) most = (int)left;
        p->count[i] = rng_chance(r, 15) || most < 2 ? 1 : rng_between(r, 2, most);
        left /= (size_t)p->count[i];
    }
    if (rng_chance(r, 3)) p->count[rng_between(r, 0, p->levels)] = 0;
}

/* Draw the strides of levels with 2 or more repetitions from the inside out, in the order of
 * `order`. */
static size_t draw_disjoint(struct rng *r, const struct patch_wish *w, struct patch *p, int side,
                            const int order[])
{
    int unit = w->unit, last = p->count[0];
    size_t extent = (size_t)p->count[0];
    for (int i = 0; i < p->levels; i++) {
        int level = order[i];
        size_t step = extent + (size_t)(unit * (rng_chance(r, 40) ? 0 : rng_between(r, 0, 7)));
        if (p->count[level + 1] < 2) continue;
        if (w->kind[side] == PATCH_NESTED && last > 0)
            step = (extent + (size_t)last - 1) / (size_t)last * (size_t)last +
                   (size_t)(last * rng_between(r, 0, 2));
        p->stride[side][level] = last = (int)step;
        extent += step * (size_t)(p->count[level + 1] - 1);
    }
    return extent;
}

/* Draw strides that may make segments overlap. */
static size_t draw_repeated(struct rng *r, const struct patch_wish *w, struct patch *p, int side)
{
    size_t extent = (size_t)p->count[0];
    for (int i = 0; i < p->levels; i++) {
        if (p->count[i + 1] < 2) continue;
        p->stride[side][i] = w->unit * rng_between(r, 0, 6);
        extent += (size_t)p->stride[side][i] * (size_t)(p->count[i + 1] - 1);
    }
    return extent;
}

/* Draw one side; false when it does not fit into its room. */
static bool draw_side(struct rng *r, const struct patch_wish *w, struct patch *p, int side)
{
    int order[PATCH_LEVELS];
    size_t extent, spare;
    for (int i = 0; i < p->levels; i++) {
        order[i] = i;
        p->stride[side][i] =
            w->unit * rng_between(r, -50, 50); /* stays where the level has no second repetition */
    }
    if (w->kind[side] == PATCH_INTERLEAVED || w->kind[side] == PATCH_NEGATIVE)
        rng_shuffle(r, order, p->levels);
    extent = w->kind[side] >= PATCH_REPEATED ? draw_repeated(r, w, p, side)
                                             : draw_disjoint(r, w, p, side, order);
    if (extent > w->room[side]) return false;
    spare = (w->room[side] - extent) / (size_t)w->unit;
    p->start[side] = (size_t)w->unit * (size_t)rng_between(r, 0, (int)spare);
    for (int i = 0; i < p->levels; i++) {
        if ((w->kind[side] != PATCH_NEGATIVE && w->kind[side] != PATCH_ANY) ||
            p->count[i + 1] < 2 || rng_chance(r, 40))
            continue;
        p->start[side] += (size_t)p->stride[side][i] * (size_t)(p->count[i + 1] - 1);
        p->stride[side][i] = -p->stride[side][i];
    }
    return true;
}

struct patch patch_draw(struct rng *r, const struct patch_wish *wish)
{
    struct patch_wish w = *wish;
    struct patch p;
    for (;;) {
        memset(&p, 0, sizeof p);
        draw_counts(r, &w, &p);
        if (draw_side(r, &w, &p, LOCAL) && draw_side(r, &w, &p, REMOTE)) return p;
        if (w.max_bytes / 2 >= (size_t)w.unit) w.max_bytes /= 2;
    }
}

size_t patch_segments(const struct patch *p)
{
    size_t n = p->count[0] > 0;
    for (int i = 1; i <= p->levels; i++)
        n *= (size_t)p->count[i];
    return n;
}

size_t patch_offset(const struct patch *p, int side, size_t i)
{
    ptrdiff_t at = (ptrdiff_t)p->start[side];
    for (int level = 0; level < p->levels; level++) {
        size_t count = (size_t)p->count[level + 1];
        at += (ptrdiff_t)(i % count) * p->stride[side][level];
        i /= count;
    }
    return (size_t)at;
}

static int append_list(char *text, size_t size, const char *title, const int *list, int n)
{
    int used = snprintf(text, size, " %s ", title);
    for (int i = 0; i < n && (size_t)used < size; i++)
        used += snprintf(text + used, size - (size_t)used, i ? ",%d" : "%d", list[i]);
    return (size_t)used < size ? used : (int)size - 1;
}

const char *patch_text(const struct patch *p)
{
    static _Thread_local char text[400];
    int used = snprintf(text, sizeof text, "levels %d", p->levels);
    used += append_list(text + used, sizeof text - (size_t)used, "count", p->count, p->levels + 1);
    used +=
        append_list(text + used, sizeof text - (size_t)used, "local", p->stride[LOCAL], p->levels);
    append_list(text + used, sizeof text - (size_t)used, "remote", p->stride[REMOTE], p->levels);
    return text;
}

void patch_copy(const struct patch *p, int from, const void *source_room, void *target_room)
{
    size_t n = patch_segments(p);
    for (size_t i = 0; i < n; i++)
        memcpy((char *)target_room + patch_offset(p, !from, i),
               (const char *)source_room + patch_offset(p, from, i), (size_t)p->count[0]);
}
