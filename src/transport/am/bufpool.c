/* bufpool.c - buffers of a few sizes, in lists of those that nobody uses. */
#include "transport/am/bufpool.h"

#include <assert.h>
#include <stdlib.h>

#include "base/log.h"

/* Begins a buffer that nobody uses. */
struct free_list {
    struct free_list *next;
};

/* Each size is twice the one before. */
enum { SMALLEST = BUFPOOL_LARGEST >> (BUFPOOL_SIZES - 1) };

static int size_for(size_t bytes)
{
    int size = 0;
    assert(bytes <= BUFPOOL_LARGEST);
    while ((size_t)SMALLEST << size < bytes) size++;
    return size;
}

static size_t room_of(int size)
{
    return (size_t)SMALLEST << size;
}

static char *take_spare(struct bufpool *p, int size)
{
    struct free_list *s = p->free_list[size];
    if (s) p->free_list[size] = s->next;
    return (char *)s;
}

/* Free a buffer that nobody uses; false when there is none. */
static bool drop_spare(struct bufpool *p)
{
    for (int size = 0; size < BUFPOOL_SIZES; size++) {
        char *buffer = take_spare(p, size);
        if (!buffer) continue;
        free(buffer);
        p->bytes -= room_of(size);
        return true;
    }
    return false;
}

bool armcii_bufpool_can_alloc(const struct bufpool *p, size_t bytes)
{
    return p->in_use + room_of(size_for(bytes)) <= p->most;
}

/* Others that nobody uses make room for it. */
static char *new_buffer(struct bufpool *p, size_t room)
{
    while (p->bytes + room > p->most && drop_spare(p)) {}
    char *buffer = malloc(room);
    if (!buffer) armcii_fatal("out of memory for %zu bytes of data on their way", room);
    p->bytes += room;
    return buffer;
}

char *armcii_bufpool_alloc_beyond(struct bufpool *p, size_t bytes)
{
    int size = size_for(bytes);
    p->in_use += room_of(size);
    char *buffer = take_spare(p, size);
    return buffer ? buffer : new_buffer(p, room_of(size));
}

char *armcii_bufpool_alloc(struct bufpool *p, size_t bytes)
{
    return armcii_bufpool_can_alloc(p, bytes) ? armcii_bufpool_alloc_beyond(p, bytes) : NULL;
}

void armcii_bufpool_free(struct bufpool *p, char *buffer, size_t bytes)
{
    struct free_list *s = (struct free_list *)(void *)buffer;
    int size = size_for(bytes);
    p->in_use -= room_of(size);
    if (p->bytes > p->most) { /* beyond the limit nothing is kept */
        p->bytes -= room_of(size);
        free(buffer);
        return;
    }
    s->next = p->free_list[size];
    p->free_list[size] = s;
}

void armcii_bufpool_drain(struct bufpool *p)
{
    while (drop_spare(p)) {}
}
