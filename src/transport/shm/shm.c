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
#include "transport/shm/node.h"

/* ---- regions ---- */

static int alloc(struct region *r)
{
    struct team *team = r->team;
    bool one_node = armcii_world_is_one_node(team->size, team->to_world);
    MPI_Comm comm = one_node ? team->comm : armcii_team_scope_comm(team, TEAM_NODE);
    const struct scope *here = armcii_team_scope(team, TEAM_NODE);
    struct shm_region *part = armcii_alloc(1, sizeof *part, "a region");
    size_t *sizes = armcii_alloc((size_t)team->size, sizeof *sizes,
                                 "the tables of a region of %d processes", team->size);
    char **slices = armcii_alloc((size_t)team->size, sizeof *slices,
                                 "the tables of a region of %d processes", team->size);
    for (int i = 0; i < here->n; i++)
        sizes[i] = armcii_slice_bytes(r, armcii_scope_member(here, i));
    int failed =
            armcii_segment_create_open(&part->segment, armcii_node->kind, comm, sizes, slices) != 0,
        any = failed;
    if (!one_node) armcii_coll_allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, team->comm);
    if (any && !failed) armcii_segment_free(&part->segment);
    for (int i = 0; i < here->n && !any; i++)
        r->mapped[armcii_scope_member(here, i)] = slices[i];
    if (any)
        free(part);
    else
        r->shm = part;
    free(sizes);
    free(slices);
    return any;
}

static int attach(struct region *r)
{
    if (r->shm)
        armcii_segment_close(&r->shm->segment); /* the server of `am` has opened it by now */
    return 0;
}

static void detach(struct region *r)
{
    if (r->memget) armcii_exports_end();
    if (!r->shm) return;
    armcii_segment_free(&r->shm->segment);
    free(r->shm);
    r->shm = NULL;
}

/* ---- memory of ARMCI_Memget: exported segments ---- */

/* [node size]: where the exports of other processes are mapped here; NULL: not yet. */
static char *(*attached)[MAX_EXPORTS];
static pthread_mutex_t attach_lock =
    PTHREAD_MUTEX_INITIALIZER; /* the server thread attaches, too */

/* Closed while a process without free descriptors attaches: a server that cannot attach has to
 * abort the job. */
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
    if (armcii_node->kind != SEGMENT_MEMFD) return;
    open_spare();
    free(attached);
    attached = armcii_alloc((size_t)armcii_node->size, sizeof *attached, "tables of %d processes",
                            armcii_node->size);
}

static char *memget_alloc(size_t bytes)
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

static void memget_free(char *memory)
{
    (void)memory; /* exports end with the region */
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

/* The address here of export i of a node rank; NULL if it cannot be mapped. */
static char *attach_export(int rank, int i)
{
    const struct export *e = &armcii_node->exports[rank].of[i];
    if (rank == armcii_node->rank) return e->base;
    pthread_mutex_lock(&attach_lock);
    if (!attached[rank][i]) attached[rank][i] = map_export(e);
    char *mapped = attached[rank][i];
    pthread_mutex_unlock(&attach_lock);
    return mapped;
}

bool armcii_export_find(int process, const void *address, char **base, size_t *bytes, char **mapped)
{
    if (armcii_node->kind != SEGMENT_MEMFD || !armcii_world_is_on_node(process)) return false;
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
        if (attached[rank][i]) munmap(attached[rank][i], armcii_node->exports[rank].of[i].bytes);
}

void armcii_exports_end(void)
{
    if (armcii_node->kind != SEGMENT_MEMFD) return;
    for (int rank = 0; rank < armcii_node->size; rank++)
        detach_exports_of(rank);
    free(attached);
    attached = NULL;
    struct exports *mine = &armcii_node->exports[armcii_node->rank];
    for (int i = 0; i < mine->count; i++) {
        munmap(mine->of[i].base, mine->of[i].bytes);
        close(mine->of[i].segment.descriptor);
    }
    mine->count = 0;
    close_spare();
}

/* ---- mutexes: MCS locks ----
 *
 * The queue lock of J. Mellor-Crummey and M. Scott ("Algorithms for Scalable Synchronization on
 * Shared-Memory Multiprocessors", ACM TOCS 9(1), 1991).  Each waiter spins on its own cache line
 * until its predecessor passes the lock on.  A wait releases the global lock at each backoff step.
 */

/* A slot identifies a queue node: member * total + i is the i-th node of a member.  Tails and links
 * hold slot + 1; 0: none. */
struct tail {
    _Alignas(64) atomic_uint last;
};
struct waiter {
    _Alignas(64) atomic_uint next;
    atomic_uint granted;
};

/* The slice of a member has the tails of its mutexes, then its queue nodes: one for each mutex of
 * the set, since a process may hold all of them.  Unused nodes are never touched and cost no
 * memory. */
struct shm_mcs {
    const struct team *team;
    struct shm_segment segment;
    char **slices; /* [team size] */
    size_t *tails; /* [team size], bytes of the tails in a slice */
    unsigned total;
    int rank;
    unsigned *free_nodes; /* a stack of the free queue nodes of this member */
    unsigned free_count;
};

static struct tail *tail_of(const struct shm_mcs *q, int member, int mutex)
{
    return (struct tail *)(void *)q->slices[member] + mutex;
}

static struct waiter *node_of(const struct shm_mcs *q, unsigned slot)
{
    unsigned member = slot / q->total;
    return (struct waiter *)(void *)(q->slices[member] + q->tails[member]) + slot % q->total;
}

static void free_tables(struct shm_mcs *q)
{
    free(q->slices);
    free(q->tails);
    free(q->free_nodes);
    free(q);
}

static void *allocate_tables(size_t n, size_t bytes, const struct team *team)
{
    return armcii_alloc(n, bytes, "mutexes on %d processes", team->size);
}

static int share_queues(struct shm_mcs *q, struct team *team, const int count[])
{
    size_t *sizes = allocate_tables((size_t)team->size, sizeof *sizes, team);
    for (int i = 0; i < team->size; i++) {
        q->tails[i] = (size_t)count[i] * sizeof(struct tail);
        sizes[i] = q->tails[i] + q->total * sizeof(struct waiter);
    }
    int rc = armcii_segment_create(&q->segment, armcii_node->kind, team->comm, sizes, q->slices);
    free(sizes);
    return rc;
}

static void *mcs_create(struct team *team, const int count[], unsigned total, unsigned long name)
{
    (void)name;
    struct shm_mcs *q = allocate_tables(1, sizeof *q, team);
    *q = (struct shm_mcs){.team = team,
                          .slices = allocate_tables((size_t)team->size, sizeof *q->slices, team),
                          .tails = allocate_tables((size_t)team->size, sizeof *q->tails, team),
                          .free_nodes = allocate_tables(total, sizeof *q->free_nodes, team),
                          .total = total,
                          .rank = team->rank,
                          .free_count = total};
    if (share_queues(q, team, count) != 0) {
        free_tables(q);
        return NULL;
    }
    for (unsigned i = 0; i < total; i++)
        q->free_nodes[i] = total - 1 - i;
    return q;
}

static void mcs_free(void *set)
{
    struct shm_mcs *q = set;
    armcii_segment_free(&q->segment);
    free_tables(q);
}

/* Queue nodes are numbered by unsigned ints. */
static bool has_mutexes(const struct team *team, unsigned total)
{
    if (armcii_node->kind == SEGMENT_NONE || !armcii_world_is_one_node(team->size, team->to_world))
        return false;
    return (size_t)total * (size_t)team->size < UINT_MAX;
}

static unsigned alloc_node(struct shm_mcs *q)
{
    unsigned slot = (unsigned)q->rank * q->total + q->free_nodes[--q->free_count];
    struct waiter *p = node_of(q, slot);
    atomic_store_explicit(&p->next, 0, memory_order_relaxed);
    atomic_store_explicit(&p->granted, 0, memory_order_relaxed);
    return slot;
}

static void free_node(struct shm_mcs *q, unsigned slot)
{
    q->free_nodes[q->free_count++] = slot % q->total;
}

/* Lets other threads run and makes progress: the holder may depend on either. */
static void wait_until_set(const atomic_uint *word)
{
    struct backoff p = {0};
    while (!atomic_load_explicit(word, memory_order_acquire)) {
        if (armcii_backoff_spin(&p)) continue;
        armcii_lock_backoff(&p);
    }
}

static void mcs_lock(void *set, int owner, int mutex, unsigned *slot)
{
    struct shm_mcs *q = set;
    *slot = alloc_node(q);
    unsigned before =
        atomic_exchange_explicit(&tail_of(q, owner, mutex)->last, *slot + 1, memory_order_acq_rel);
    if (before == 0 || armcii_fault("lock-does-not-wait")) return;
    atomic_store_explicit(&node_of(q, before - 1)->next, *slot + 1, memory_order_release);
    if (armcii_hang_on) armcii_hang_queue(q->team->to_world[(before - 1) / q->total]);
    wait_until_set(&node_of(q, *slot)->granted);
}

static bool mcs_trylock(void *set, int owner, int mutex, unsigned *slot)
{
    struct shm_mcs *q = set;
    unsigned nobody = 0;
    *slot = alloc_node(q);
    if (atomic_compare_exchange_strong_explicit(&tail_of(q, owner, mutex)->last, &nobody, *slot + 1,
                                                memory_order_acq_rel, memory_order_relaxed))
        return true;
    free_node(q, *slot);
    return false;
}

static void mcs_unlock(void *set, int owner, int mutex, unsigned slot)
{
    struct shm_mcs *q = set;
    struct waiter *mine = node_of(q, slot);
    unsigned last = slot + 1;
    if (!atomic_compare_exchange_strong_explicit(&tail_of(q, owner, mutex)->last, &last, 0,
                                                 memory_order_acq_rel, memory_order_relaxed) &&
        !armcii_fault("lock-does-not-wait")) {
        wait_until_set(&mine->next);
        unsigned next = atomic_load_explicit(&mine->next, memory_order_relaxed) - 1;
        atomic_store_explicit(&node_of(q, next)->granted, 1, memory_order_release);
    }
    free_node(q, slot);
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
    .region_alloc = alloc,
    .region_attach = attach,
    .region_detach = detach,
    .memget_alloc = memget_alloc,
    .memget_free = memget_free,
    .memget_find = memget_find,
    .start = start,
    .order = order,
    .rmw = rmw,
    .rmw_path = PATH_DIRECT,
    .has_mutexes = has_mutexes,
    .mutexes_create = mcs_create,
    .mutexes_free = mcs_free,
    .lock = mcs_lock,
    .trylock = mcs_trylock,
    .unlock = mcs_unlock,
    .barrier = armcii_node_barrier,
};
