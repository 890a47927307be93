/* pool.h - suballocation: the free ranges of an address range. Offsets and lengths are in bytes;
 * no memory is accessed. The result depends only on the calls so far, so processes that make the
 * same calls get the same offsets. */
#ifndef ARMCII_POOL_H
#define ARMCII_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pool {
    struct free_range {
        size_t offset, bytes;
    } * free;           /* sorted, not empty, no two adjacent */
    size_t count, room; /* of free */
    bool is_fixed;      /* the room cannot grow: the table is not from malloc */
};

#define POOL_FULL SIZE_MAX

/* The offset of `bytes` > 0 free bytes, a multiple of `alignment`, a power of two; POOL_FULL if no
 * free range is large enough. */
size_t armcii_pool_alloc(struct pool *p, size_t bytes, size_t alignment);
/* The same, among those that end at or below the limit. */
size_t armcii_pool_alloc_below(struct pool *p, size_t bytes, size_t alignment, size_t limit);
/* A new range, or one as it was allocated, becomes free. */
void armcii_pool_free(struct pool *p, size_t offset, size_t bytes);
/* Forget all ranges. */
void armcii_pool_clear(struct pool *p);

#endif
