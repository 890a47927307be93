/* export.c - memory on offer. */
#define _GNU_SOURCE
#include "transport/shm/export.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "transport/shm/node.h"

/* Views of others' offers, newest first. */
struct view {
    struct view *older;
    int who, number;
    char *mapped;
};
static struct view *views;
static pthread_mutex_t views_in_use = PTHREAD_MUTEX_INITIALIZER; /* a server looks, too */

/* A process that has no descriptor left gives this one up for as long as it opens a view: a server that could open none would have to end
 * the job. */
static int spare = -1;

static void take_spare(void)
{
    if (spare < 0) spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void leave_spare(void)
{
    if (spare >= 0) close(spare);
    spare = -1;
}

void armcii_exports_start(void)
{
    if (armcii_node->kind == SEGMENT_MEMFD) take_spare();
}

void *armcii_export_create(size_t bytes)
{
    if (armcii_node->kind != SEGMENT_MEMFD) return NULL;
    struct exports *mine = &armcii_node->exports[armcii_node->rank];
    int n = atomic_load_explicit(&mine->count, memory_order_relaxed);
    int fd = n < MAX_EXPORTS ? armcii_segment_descriptor(bytes) : -1;
    if (fd < 0) return NULL;
    char *memory = armcii_segment_map(fd, bytes);
    if (!memory) {
        close(fd);
        return NULL;
    }
    mine->of[n] = (struct export){memory, bytes, armcii_segment_handle(fd)};
    atomic_store_explicit(&mine->count, n + 1, memory_order_release);
    return memory;
}

static const struct view *view_of(int who, int number)
{
    const struct view *v = views;
    while (v && (v->who != who || v->number != number))
        v = v->older;
    return v;
}

static char *map_offer(const struct export *o)
{
    char *mapped = armcii_segment_open(&o->segment, o->bytes);
    if (mapped || spare < 0) return mapped;
    leave_spare();
    mapped = armcii_segment_open(&o->segment, o->bytes);
    take_spare();
    return mapped;
}

static const struct view *open_view(int who, int number)
{
    char *mapped = map_offer(&armcii_node->exports[who].of[number]);
    struct view *v = mapped ? malloc(sizeof *v) : NULL;
    if (mapped && !v) munmap(mapped, armcii_node->exports[who].of[number].bytes);
    if (!v) return NULL;
    *v = (struct view){views, who, number, mapped};
    views = v;
    return v;
}

static bool holds(const struct export *o, const void *address)
{
    return (uintptr_t)address - (uintptr_t)o->base < o->bytes;
}

bool armcii_export_attach(int who, const void *address, char **base, size_t *bytes, char **mapped)
{
    if (armcii_node->kind != SEGMENT_MEMFD) return false;
    const struct exports *theirs = &armcii_node->exports[who];
    int n = atomic_load_explicit(&theirs->count, memory_order_acquire), i = 0;
    while (i < n && !holds(&theirs->of[i], address))
        i++;
    if (i == n) return false;
    const struct view *v = NULL;
    if (who != armcii_node->rank) {
        pthread_mutex_lock(&views_in_use);
        v = view_of(who, i);
        if (!v) v = open_view(who, i);
        pthread_mutex_unlock(&views_in_use);
        if (!v) return false;
    }
    *base = theirs->of[i].base;
    *bytes = theirs->of[i].bytes;
    *mapped = v ? v->mapped : theirs->of[i].base;
    return true;
}

void armcii_exports_end(void)
{
    if (armcii_node->kind != SEGMENT_MEMFD) return;
    while (views) {
        struct view *v = views;
        views = v->older;
        munmap(v->mapped, armcii_node->exports[v->who].of[v->number].bytes);
        free(v);
    }
    struct exports *mine = &armcii_node->exports[armcii_node->rank];
    for (int i = 0; i < mine->count; i++) {
        munmap(mine->of[i].base, mine->of[i].bytes);
        close(mine->of[i].segment.descriptor);
    }
    mine->count = 0;
    leave_spare();
}
