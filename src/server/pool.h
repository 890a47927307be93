/* pool.h - buffers for data on their way, which are packed on one side or the other.  They are kept for the next data: memory that is fresh
 * from the system costs a fault for every page, together more than the copy.  Not for several threads at once. */
#ifndef ARMCII_POOL_H
#define ARMCII_POOL_H

#include <stdbool.h>
#include <stddef.h>

enum { POOL_SIZES = 8, POOL_LARGEST = 512 << 10 };

struct spare;
struct pool {
    size_t most;  /* bytes that it may have, all buffers together, at least POOL_LARGEST; set it, and the rest to zero */
    size_t lent;  /* bytes of those in use */
    size_t bytes; /* of all that it has */
    struct spare *spare[POOL_SIZES];
};

/* Would it lend a buffer for so many bytes? */
bool armcii_pool_has(const struct pool *p, size_t bytes);
/* A buffer for so many bytes, at most POOL_LARGEST; NULL while too much is lent. */
char *armcii_pool_take(struct pool *p, size_t bytes);
/* The same beyond the limit: never NULL. */
char *armcii_pool_take_beyond(struct pool *p, size_t bytes);
/* It was taken for so many bytes. */
void armcii_pool_leave(struct pool *p, char *buffer, size_t bytes);
/* All have come back: free them. */
void armcii_pool_empty(struct pool *p);

#endif
