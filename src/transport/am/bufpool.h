/* bufpool.h - a pool of buffers for packed data. Freed buffers stay in the pool: page faults of
 * fresh memory cost more than the copy. Not thread-safe. */
#ifndef ARMCII_BUFPOOL_H
#define ARMCII_BUFPOOL_H

#include <stdbool.h>
#include <stddef.h>

enum { BUFPOOL_SIZES = 8, BUFPOOL_LARGEST = 512 << 10 };

struct free_list;
struct bufpool {
    size_t
        max_bytes; /* limit of `bytes`, at least BUFPOOL_LARGEST; the other members start as zero */
    size_t in_use; /* bytes of the allocated buffers */
    size_t bytes;  /* of all buffers */
    struct free_list *free_list[BUFPOOL_SIZES];
};

/* True if armcii_bufpool_alloc would succeed. */
bool armcii_bufpool_can_alloc(const struct bufpool *p, size_t bytes);
/* A buffer of at least `bytes` bytes, at most BUFPOOL_LARGEST; NULL if it would exceed the limit.
 */
char *armcii_bufpool_alloc(struct bufpool *p, size_t bytes);
/* The same regardless of the limit: never NULL. */
char *armcii_bufpool_alloc_over_limit(struct bufpool *p, size_t bytes);
/* What a buffer for so many bytes takes. */
size_t armcii_bufpool_size(size_t bytes);
/* `bytes` as at the allocation. */
void armcii_bufpool_free(struct bufpool *p, char *buffer, size_t bytes);
/* No buffer is in use: release all memory. */
void armcii_bufpool_drain(struct bufpool *p);

#endif
