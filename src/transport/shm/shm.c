/* shm.c - the transport shm: regions, exported segments, mutexes, operations and the table of its
 * functions. */
#define _GNU_SOURCE
#include "transport/shm/shm.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hang.h"
#include "base/fault.h"
#include "base/lock.h"
#include "base/log.h"
#include "mpi/coll.h"
#include "mpi/world.h"
#include "transport/shm/mutex.h"
#include "transport/shm/node.h"

/* ---- regions: their memory is in the arena ---- */

static void detach(struct region *r)
{
    if (r->memget) armcii_exports_end();
}

/* ---- memory of ARMCI_Memget: exported segments ---- */

static struct {
    /* [node size]: where the exports of other processes are mapped here; NULL: not yet. */
    char *(*attached)[MAX_EXPORTS];
    pthread_mutex_t attach_lock; /* the server thread attaches, too */
    /* Closed while a process without free descriptors attaches: a server that cannot attach has to
     * abort the job.  One for the memory, one for a socket that passes it. */
    int spare_fds[2];
} imports = {.attach_lock = PTHREAD_MUTEX_INITIALIZER, .spare_fds = {-1, -1}};

static void open_spares(void)
{
    for (int i = 0; i < 2; i++)
        if (imports.spare_fds[i] < 0)
            imports.spare_fds[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void close_spares(void)
{
    for (int i = 0; i < 2; i++) {
        if (imports.spare_fds[i] >= 0) close(imports.spare_fds[i]);
        imports.spare_fds[i] = -1;
    }
}

void armcii_exports_start(void)
{
    if (!armcii_node->shares_memory) return;
    open_spares();
    free(imports.attached);
    imports.attached = armcii_alloc((size_t)armcii_node->size, sizeof *imports.attached,
                                    "tables of %d processes", armcii_node->size);
}

static char *memget_alloc(size_t bytes)
{
    if (!armcii_node->shares_memory) return NULL;
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

static void memget_free(char *memory)
{
    (void)memory; /* exports end with the region */
}

static char *map_export(const struct export *e)
{
    char *mapped = armcii_segment_open(&e->segment, e->bytes);
    if (mapped || imports.spare_fds[0] < 0) return mapped;
    close_spares();
    mapped = armcii_segment_open(&e->segment, e->bytes);
    open_spares();
    return mapped;
}

/* The address here of export i of a node rank; NULL if it cannot be mapped. */
static char *attach_export(int rank, int i)
{
    const struct export *e = &armcii_node->exports[rank].of[i];
    if (rank == armcii_node->rank) return e->base;
    pthread_mutex_lock(&imports.attach_lock);
    if (!imports.attached[rank][i]) imports.attached[rank][i] = map_export(e);
    char *mapped = imports.attached[rank][i];
    pthread_mutex_unlock(&imports.attach_lock);
    return mapped;
}

bool armcii_export_find(int process, const void *address, char **base, size_t *bytes, char **mapped)
{
    if (!armcii_node->shares_memory || !armcii_world_is_on_node(process)) return false;
    int rank = armcii_world->local_rank_of[process], i = 0;
    const struct exports *theirs = &armcii_node->exports[rank];
    int n = atomic_load_explicit(&theirs->count, memory_order_acquire);
    while (i < n && (uintptr_t)address - (uintptr_t)theirs->of[i].base >= theirs->of[i].bytes)
        i++;
    char *here = i < n ? attach_export(rank, i) : NULL;
    if (!here) return false;
    *base = theirs->of[i].base;
    *bytes = theirs->of[i].bytes;
    *mapped = here;
    return true;
}

static bool memget_find(int process, const void *address, char **base, size_t *bytes, char **mapped)
{
    return process != armcii_world->rank &&
           armcii_export_find(process, address, base, bytes, mapped);
}

static void detach_exports_of(int rank)
{
    for (int i = 0; i < MAX_EXPORTS; i++)
        if (imports.attached[rank][i])
            munmap(imports.attached[rank][i], armcii_node->exports[rank].of[i].bytes);
}

void armcii_exports_end(void)
{
    if (!imports.attached) return; /* not begun, or ended */
    for (int rank = 0; rank < armcii_node->size; rank++)
        detach_exports_of(rank);
    free(imports.attached);
    imports.attached = NULL;
    struct exports *mine = &armcii_node->exports[armcii_node->rank];
    for (int i = 0; i < mine->count; i++) {
        munmap(mine->of[i].base, mine->of[i].bytes);
        close(mine->of[i].segment.descriptor);
    }
    mine->count = 0;
    close_spares();
}

/* ---- mutexes ---- */

static bool has_mutexes(const struct team *team)
{
    return armcii_node->shares_memory && armcii_world_is_one_node(team->size, team->to_world);
}

static void lock(void *set, int owner, int mutex)
{
    armcii_mutex_lock(armcii_mutex_address(set, owner, mutex));
}

static bool trylock(void *set, int owner, int mutex)
{
    return armcii_mutex_trylock(armcii_mutex_address(set, owner, mutex));
}

static void unlock(void *set, int owner, int mutex)
{
    armcii_mutex_unlock(armcii_mutex_address(set, owner, mutex));
}

/* ---- operations ---- */

static int start(const struct op *op, const struct raddr *raddr, const char *lo, const char *hi,
                 struct request *req)
{
    ptrdiff_t delta = raddr->mapped - raddr->lo;
    (void)lo, (void)hi;
    req->path = PATH_DIRECT;
    switch (op->verb.kind) {
    case RMA_PUT: armcii_apply_put(&op->shape, delta); break;
    case RMA_GET: armcii_apply_get(&op->shape, delta); break;
    case RMA_ACC:
        armcii_apply_accumulate(op->verb.element, op->scale, op->target, delta, &op->shape);
        break;
    }
    if (op->verb.kind != RMA_GET) armcii_stores_pending = true;
    return 0;
}

static void order(const struct raddr *raddr, int target, struct rma_verb verb, const char *lo,
                  const char *hi)
{
    (void)raddr, (void)target, (void)verb, (void)lo, (void)hi;
    armcii_drain_stores();
}

static long rmw(const struct raddr *raddr, int target, enum rmw_update update, size_t bytes,
                void *remote, long operand)
{
    (void)target;
    return armcii_apply_rmw(update, bytes, (char *)remote + (raddr->mapped - raddr->lo), operand);
}

const struct transport armcii_shm = {
    .name = "shm",
    .region_detach = detach,
    .memget_alloc = memget_alloc,
    .memget_free = memget_free,
    .memget_find = memget_find,
    .start = start,
    .order = order,
    .rmw = rmw,
    .rmw_path = PATH_DIRECT,
    .has_mutexes = has_mutexes,
    .mutexes_create = armcii_mutexes_create,
    .mutexes_free = armcii_mutexes_free,
    .lock = lock,
    .trylock = trylock,
    .unlock = unlock,
    .barrier = armcii_node_barrier,
};
