/* pool.c - suballocation by first fit in a sorted array: a few cache lines for some hundred free
 * ranges. The search begins at the highest range and takes its end, so that new allocations lie
 * below older ones, as new mappings of the kernel do: the index's lists, which descend, then
 * grow at their end. */
#include "base/pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

static void make_room(struct pool *p, size_t count)
{
    if (count <= p->room) return;
    if (p->is_fixed) armcii_fatal("out of memory for a table of %zu free ranges", count);
    struct free_range *more = realloc(p->free, 2 * count * sizeof *more);
    if (!more) armcii_fatal("out of memory for a table of %zu free ranges", count);
    p->free = more;
    p->room = 2 * count;
}

static void remove_range(struct pool *p, size_t i)
{
    p->count--;
    memmove(&p->free[i], &p->free[i + 1], (p->count - i) * sizeof *p->free);
}

/* Join ranges i and i + 1 if they are adjacent. */
static void join(struct pool *p, size_t i)
{
    struct free_range *r = &p->free[i];
    if (i + 1 >= p->count || r[0].offset + r[0].bytes != r[1].offset) return;
    r[0].bytes += r[1].bytes;
    remove_range(p, i + 1);
}

/* The number of free ranges that begin at or below the offset. */
static size_t count_up_to(const struct pool *p, size_t offset)
{
    size_t low = 0, high = p->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->free[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void armcii_pool_free(struct pool *p, size_t offset, size_t bytes)
{
    make_room(p, p->count + 1);
    size_t i = count_up_to(p, offset);
    memmove(&p->free[i + 1], &p->free[i], (p->count - i) * sizeof *p->free);
    p->free[i] = (struct free_range){offset, bytes};
    p->count++;
    join(p, i);
    if (i > 0) join(p, i - 1);
}

/* The highest aligned offset in the range with `bytes` bytes behind it that end at or below the
 * limit; POOL_FULL if there is none. */
static size_t fit_in(const struct free_range *r, size_t bytes, size_t alignment, size_t limit)
{
    size_t end = r->offset + r->bytes < limit ? r->offset + r->bytes : limit;
    if (end < r->offset || end - r->offset < bytes) return POOL_FULL;
    size_t offset = (end - bytes) & ~(alignment - 1);
    return offset >= r->offset ? offset : POOL_FULL;
}

static size_t take(struct pool *p, size_t i, size_t offset, size_t bytes)
{
    struct free_range *r = &p->free[i];
    size_t behind = r->offset + r->bytes - offset - bytes;
    r->bytes = offset - r->offset;
    if (r->bytes == 0) remove_range(p, i);
    if (behind > 0) armcii_pool_free(p, offset + bytes, behind);
    return offset;
}

size_t armcii_pool_alloc_below(struct pool *p, size_t bytes, size_t alignment, size_t limit)
{
    for (size_t i = count_up_to(p, limit); i > 0; i--) {
        size_t offset = fit_in(&p->free[i - 1], bytes, alignment, limit);
        if (offset != POOL_FULL) return take(p, i - 1, offset, bytes);
    }
    return POOL_FULL;
}

size_t armcii_pool_alloc(struct pool *p, size_t bytes, size_t alignment)
{
    return armcii_pool_alloc_below(p, bytes, alignment, SIZE_MAX);
}

void armcii_pool_clear(struct pool *p)
{
    free(p->free);
    *p = (struct pool){0};
}
