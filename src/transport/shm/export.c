/* export.c - exported segments and attachments to those of others. */
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

/* Mapped exports of other processes, newest first. */
struct attachment {
    struct attachment *next;
    int rank, number;
    char *mapped;
};
static struct attachment *attachments;
static pthread_mutex_t attachments_lock = PTHREAD_MUTEX_INITIALIZER; /* the server thread attaches, too */

/* Closed while a process without free descriptors attaches: a server that cannot attach has to abort the job. */
static int spare_fd = -1;

static void open_spare(void)
{
    if (spare_fd < 0) spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void close_spare(void)
{
    if (spare_fd >= 0) close(spare_fd);
    spare_fd = -1;
}

void armcii_exports_start(void)
{
    if (armcii_node->kind == SEGMENT_MEMFD) open_spare();
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

static const struct attachment *find_attachment(int rank, int number)
{
    const struct attachment *a = attachments;
    while (a && (a->rank != rank || a->number != number))
        a = a->next;
    return a;
}

static char *map_export(const struct export *e)
{
    char *mapped = armcii_segment_open(&e->segment, e->bytes);
    if (mapped || spare_fd < 0) return mapped;
    close_spare();
    mapped = armcii_segment_open(&e->segment, e->bytes);
    open_spare();
    return mapped;
}

static const struct attachment *new_attachment(int rank, int number)
{
    char *mapped = map_export(&armcii_node->exports[rank].of[number]);
    struct attachment *a = mapped ? malloc(sizeof *a) : NULL;
    if (mapped && !a) munmap(mapped, armcii_node->exports[rank].of[number].bytes);
    if (!a) return NULL;
    *a = (struct attachment){attachments, rank, number, mapped};
    attachments = a;
    return a;
}

static bool contains(const struct export *e, const void *address)
{
    return (uintptr_t)address - (uintptr_t)e->base < e->bytes;
}

bool armcii_export_find(int rank, const void *address, char **base, size_t *bytes, char **mapped)
{
    if (armcii_node->kind != SEGMENT_MEMFD) return false;
    const struct exports *theirs = &armcii_node->exports[rank];
    int n = atomic_load_explicit(&theirs->count, memory_order_acquire), i = 0;
    while (i < n && !contains(&theirs->of[i], address))
        i++;
    if (i == n) return false;
    const struct attachment *a = NULL;
    if (rank != armcii_node->rank) {
        pthread_mutex_lock(&attachments_lock);
        a = find_attachment(rank, i);
        if (!a) a = new_attachment(rank, i);
        pthread_mutex_unlock(&attachments_lock);
        if (!a) return false;
    }
    *base = theirs->of[i].base;
    *bytes = theirs->of[i].bytes;
    *mapped = a ? a->mapped : theirs->of[i].base;
    return true;
}

void armcii_exports_end(void)
{
    if (armcii_node->kind != SEGMENT_MEMFD) return;
    while (attachments) {
        struct attachment *a = attachments;
        attachments = a->next;
        munmap(a->mapped, armcii_node->exports[a->rank].of[a->number].bytes);
        free(a);
    }
    struct exports *mine = &armcii_node->exports[armcii_node->rank];
    for (int i = 0; i < mine->count; i++) {
        munmap(mine->of[i].base, mine->of[i].bytes);
        close(mine->of[i].segment.descriptor);
    }
    mine->count = 0;
    close_spare();
}
