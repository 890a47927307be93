/* bufpool.c - the pool of buffers: a free list for each of a few sizes. */
#include "transport/am/bufpool.h"

#include <assert.h>
#include <stdlib.h>

#include "base/log.h"

/* The first bytes of a free buffer. */
struct free_list {
    struct free_list *next;
};

/* Each size is twice the one before. */
enum { SMALLEST = BUFPOOL_LARGEST >> (BUFPOOL_SIZES - 1) };

static int size_class(size_t bytes)
{
    int size = 0;
    assert(bytes <= BUFPOOL_LARGEST);
    while ((size_t)SMALLEST << size < bytes)
        size++;
    return size;
}

static size_t class_bytes(int size)
{
    return (size_t)SMALLEST << size;
}

size_t armcii_bufpool_size(size_t bytes)
{
    return class_bytes(size_class(bytes));
}

static char *freelist_pop(struct bufpool *p, int size)
{
    struct free_list *first = p->free_list[size];
    if (first) p->free_list[size] = first->next;
    return (char *)first;
}

/* Release a free buffer; false when there is none. */
static bool freelist_free_one(struct bufpool *p)
{
    for (int size = 0; size < BUFPOOL_SIZES; size++) {
        char *buffer = freelist_pop(p, size);
        if (!buffer) continue;
        free(buffer);
        p->bytes -= class_bytes(size);
        return true;
    }
    return false;
}

bool armcii_bufpool_can_alloc(const struct bufpool *p, size_t bytes)
{
    return p->in_use + class_bytes(size_class(bytes)) <= p->max_bytes;
}

/* Release free buffers of other sizes to stay within the limit. */
static char *new_buffer(struct bufpool *p, size_t bytes)
{
    while (p->bytes + bytes > p->max_bytes && freelist_free_one(p)) {
    }
    char *buffer = malloc(bytes);
    if (!buffer) armcii_fatal("out of memory for a buffer of %zu bytes", bytes);
    p->bytes += bytes;
    return buffer;
}

char *armcii_bufpool_alloc_over_limit(struct bufpool *p, size_t bytes)
{
    int size = size_class(bytes);
    p->in_use += class_bytes(size);
    char *buffer = freelist_pop(p, size);
    return buffer ? buffer : new_buffer(p, class_bytes(size));
}

char *armcii_bufpool_alloc(struct bufpool *p, size_t bytes)
{
    return armcii_bufpool_can_alloc(p, bytes) ? armcii_bufpool_alloc_over_limit(p, bytes) : NULL;
}

void armcii_bufpool_free(struct bufpool *p, char *buffer, size_t bytes)
{
    struct free_list *freed = (struct free_list *)(void *)buffer;
    int size = size_class(bytes);
    p->in_use -= class_bytes(size);
    if (p->bytes > p->max_bytes) {
        p->bytes -= class_bytes(size);
        free(buffer);
        return;
    }
    freed->next = p->free_list[size];
    p->free_list[size] = freed;
}

void armcii_bufpool_drain(struct bufpool *p)
{
    while (freelist_free_one(p)) {
    }
}
