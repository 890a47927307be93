/* pool.c - buffers of a few sizes, in lists of those that nobody uses. */
#include "server/pool.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"

/* Begins a buffer that nobody uses. */
struct spare {
    struct spare *next;
};

static const size_t room[POOL_SIZES] = {4 << 10, 64 << 10, POOL_LARGEST};

static int size_for(size_t bytes)
{
    int i = 0;
    while (room[i] < bytes) i++;
    return i;
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
    for (int i = 0; i < POOL_SIZES; i++) {
        char *buffer = take_spare(p, i);
        if (!buffer) continue;
        free(buffer);
        p->bytes -= room[i];
        return true;
    }
    return false;
}

char *armcii_pool_take(struct pool *p, size_t bytes)
{
    int size = size_for(bytes);
    char *buffer = take_spare(p, size);
    if (buffer) return buffer;
    while (p->bytes + room[size] > p->most)
        if (!drop_spare(p)) return NULL;
    buffer = malloc(room[size]);
    if (!buffer) armcii_fatal("out of memory for %zu bytes of data on their way", bytes);
    p->bytes += room[size];
    return buffer;
}

void armcii_pool_leave(struct pool *p, char *buffer, size_t bytes)
{
    struct spare *s = (struct spare *)(void *)buffer;
    int size = size_for(bytes);
    s->next = p->spare[size];
    p->spare[size] = s;
}

void armcii_pool_empty(struct pool *p)
{
    while (drop_spare(p)) {}
}
