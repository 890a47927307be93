/* bufpool.h - buffers for data on their way, which are packed on one side or the other.  They are kept for the next data: memory that is fresh
 * from the system costs a fault for every page, together more than the copy.  Not for several threads at once. */
#ifndef ARMCII_BUFPOOL_H
#define ARMCII_BUFPOOL_H

#include <stdbool.h>
#include <stddef.h>

enum { BUFPOOL_SIZES = 8, BUFPOOL_LARGEST = 512 << 10 };

struct free_list;
struct bufpool {
    size_t most;  /* bytes that it may have, all buffers together, at least BUFPOOL_LARGEST; set it, and the rest to zero */
    size_t in_use;  /* bytes of those in use */
    size_t bytes; /* of all that it has */
    struct free_list *free_list[BUFPOOL_SIZES];
};

/* Would it lend a buffer for so many bytes? */
bool armcii_bufpool_can_alloc(const struct bufpool *p, size_t bytes);
/* A buffer for so many bytes, at most BUFPOOL_LARGEST; NULL while too much is in_use. */
char *armcii_bufpool_alloc(struct bufpool *p, size_t bytes);
/* The same beyond the limit: never NULL. */
char *armcii_bufpool_alloc_beyond(struct bufpool *p, size_t bytes);
/* It was taken for so many bytes. */
void armcii_bufpool_free(struct bufpool *p, char *buffer, size_t bytes);
/* All have come back: free them. */
void armcii_bufpool_drain(struct bufpool *p);

#endif
