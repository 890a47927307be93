/* suballoc.c - first-fit allocator of offsets.  The free list is a sorted array: a search is linear, in a few cache lines for some hundred
 * ranges. */
#include "mem/suballoc.h"

#include <stdlib.h>
#include <string.h>

/* SIZE_MAX, which no range has, on overflow. */
static size_t rounded(size_t bytes)
{
    return bytes > SIZE_MAX - SUBALLOC_UNIT ? SIZE_MAX : (bytes + SUBALLOC_UNIT - 1) / SUBALLOC_UNIT * SUBALLOC_UNIT;
}

static bool make_room(struct suballoc *s, size_t count)
{
    if (count <= s->room) return true;
    size_t room = 2 * count;
    struct free_range *more = realloc(s->free, room * sizeof *more);
    if (!more) return false;
    s->free = more;
    s->room = room;
    return true;
}

bool armcii_suballoc_start(struct suballoc *s, size_t size)
{
    *s = (struct suballoc){0};
    if (!make_room(s, 1)) return false;
    s->free[s->count++] = (struct free_range){0, size};
    return true;
}

void armcii_suballoc_end(struct suballoc *s)
{
    free(s->free);
    *s = (struct suballoc){0};
}

static void remove_range(struct suballoc *s, size_t i)
{
    s->count--;
    memmove(s->free + i, s->free + i + 1, (s->count - i) * sizeof *s->free);
}

/* Requires room for one more range. */
static void insert_range(struct suballoc *s, size_t i, struct free_range range)
{
    memmove(s->free + i + 1, s->free + i, (s->count - i) * sizeof *s->free);
    s->free[i] = range;
    s->count++;
}

/* Reserves the array entries that armcii_suballoc_free may need, since only the allocation can fail. */
size_t armcii_suballoc_alloc(struct suballoc *s, size_t bytes)
{
    size_t i = 0;
    bytes = rounded(bytes);
    while (i < s->count && s->free[i].bytes < bytes)
        i++;
    if (i == s->count || !make_room(s, s->live + 2)) return SUBALLOC_NONE;
    struct free_range *range = &s->free[i];
    size_t offset = range->offset;
    range->offset += bytes;
    range->bytes -= bytes;
    if (range->bytes == 0) remove_range(s, i);
    s->live++;
    return offset;
}

/* Number of free ranges below an offset. */
static size_t ranges_below(const struct suballoc *s, size_t offset)
{
    size_t from = 0, to = s->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (s->free[middle].offset < offset)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

void armcii_suballoc_free(struct suballoc *s, size_t offset, size_t bytes)
{
    bytes = rounded(bytes);
    size_t i = ranges_below(s, offset);
    struct free_range *below = i > 0 ? &s->free[i - 1] : NULL, *above = i < s->count ? &s->free[i] : NULL;
    bool joins_below = below && below->offset + below->bytes == offset, joins_above = above && offset + bytes == above->offset;
    s->live--;
    if (joins_below) {
        below->bytes += bytes + (joins_above ? above->bytes : 0);
        if (joins_above) remove_range(s, i);
    } else if (joins_above) {
        above->offset = offset;
        above->bytes += bytes;
    } else {
        insert_range(s, i, (struct free_range){offset, bytes});
    }
}
