/* pool.c - buffers of a few sizes, in lists of those that nobody uses. */
#include "server/pool.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"

/* Begins a buffer that nobody uses. */
struct spare {
    struct spare *next;
};

/* Each size is twice the one before. */
enum { SMALLEST = POOL_LARGEST >> (POOL_SIZES - 1) };

static int size_for(size_t bytes)
{
    int size = 0;
    assert(bytes <= POOL_LARGEST);
    while ((size_t)SMALLEST << size < bytes) size++;
    return size;
}

static size_t room_of(int size)
{
    return (size_t)SMALLEST << size;
}

static char *take_spare(struct pool *p, int size)
{
    struct spare *s = p->spare[size];
    if (s) p->spare[size] = s->next;
    return (char *)s;
}

/* Free a buffer that nobody uses; false when there is none. */
static bool drop_spare(struct pool *p)
{
    for (int size = 0; size < POOL_SIZES; size++) {
        char *buffer = take_spare(p, size);
        if (!buffer) continue;
        free(buffer);
        p->bytes -= room_of(size);
        return true;
    }
    return false;
}

bool armcii_pool_has(const struct pool *p, size_t bytes)
{
    return p->lent + room_of(size_for(bytes)) <= p->most;
}

/* Others that nobody uses make room for it. */
static char *new_buffer(struct pool *p, size_t room)
{
    while (p->bytes + room > p->most && drop_spare(p)) {}
    char *buffer = malloc(room);
    if (!buffer) armcii_fatal("out of memory for %zu bytes of data on their way", room);
    p->bytes += room;
    return buffer;
}

char *armcii_pool_take_beyond(struct pool *p, size_t bytes)
{
    int size = size_for(bytes);
    p->lent += room_of(size);
    char *buffer = take_spare(p, size);
    return buffer ? buffer : new_buffer(p, room_of(size));
}

char *armcii_pool_take(struct pool *p, size_t bytes)
{
    return armcii_pool_has(p, bytes) ? armcii_pool_take_beyond(p, bytes) : NULL;
}

void armcii_pool_leave(struct pool *p, char *buffer, size_t bytes)
{
    struct spare *s = (struct spare *)(void *)buffer;
    int size = size_for(bytes);
    p->lent -= room_of(size);
    if (p->bytes > p->most) { /* beyond the limit nothing is kept */
        p->bytes -= room_of(size);
        free(buffer);
        return;
    }
    s->next = p->spare[size];
    p->spare[size] = s;
}

void armcii_pool_empty(struct pool *p)
{
    while (drop_spare(p)) {}
}
