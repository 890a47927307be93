/* mcs.c - MCS locks in shared memory. */
#include "transport/shm/shm.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/lock.h"
#include "base/fault.h"
#include "transport/shm/node.h"

/* A slot identifies a queue node: member * total + i is the i-th node of a member.  Tails and links hold slot + 1; 0: none. */
struct tail {
    _Alignas(64) atomic_uint last;
};
struct waiter {
    _Alignas(64) atomic_uint next;
    atomic_uint granted;
};

/* The slice of a member has the tails of its mutexes, then its queue nodes: one for each mutex of the set, since a process may hold all
 * of them.  Unused nodes are never touched and cost no memory. */
struct shm_mcs {
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

static void *allocate(size_t n, size_t bytes, const struct team *team)
{
    return armcii_alloc(n, bytes, "mutexes on %d processes", team->size);
}

static int share(struct shm_mcs *q, struct team *team, const int count[])
{
    size_t *sizes = allocate((size_t)team->size, sizeof *sizes, team);
    for (int i = 0; i < team->size; i++) {
        q->tails[i] = (size_t)count[i] * sizeof(struct tail);
        sizes[i] = q->tails[i] + q->total * sizeof(struct waiter);
    }
    int rc = armcii_segment_create(&q->segment, armcii_node->kind, team->comm, sizes, q->slices);
    free(sizes);
    return rc;
}

void *armcii_shm_mcs_create(struct team *team, const int count[], unsigned total, unsigned long name)
{
    (void)name;
    struct shm_mcs *q = allocate(1, sizeof *q, team);
    *q = (struct shm_mcs){.slices = allocate((size_t)team->size, sizeof *q->slices, team),
                          .tails = allocate((size_t)team->size, sizeof *q->tails, team),
                          .free_nodes = allocate(total, sizeof *q->free_nodes, team),
                          .total = total,
                          .rank = team->rank,
                          .free_count = total};
    if (share(q, team, count) != 0) {
        free_tables(q);
        return NULL;
    }
    for (unsigned i = 0; i < total; i++)
        q->free_nodes[i] = total - 1 - i;
    return q;
}

void armcii_shm_mcs_free(void *set)
{
    struct shm_mcs *q = set;
    armcii_segment_free(&q->segment);
    free_tables(q);
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

void armcii_shm_mcs_lock(void *set, int owner, int mutex, unsigned *slot)
{
    struct shm_mcs *q = set;
    *slot = alloc_node(q);
    unsigned before = atomic_exchange_explicit(&tail_of(q, owner, mutex)->last, *slot + 1, memory_order_acq_rel);
    if (before == 0 || armcii_fault("lock-does-not-wait")) return;
    atomic_store_explicit(&node_of(q, before - 1)->next, *slot + 1, memory_order_release);
    wait_until_set(&node_of(q, *slot)->granted);
}

bool armcii_shm_mcs_trylock(void *set, int owner, int mutex, unsigned *slot)
{
    struct shm_mcs *q = set;
    unsigned nobody = 0;
    *slot = alloc_node(q);
    if (atomic_compare_exchange_strong_explicit(&tail_of(q, owner, mutex)->last, &nobody, *slot + 1, memory_order_acq_rel,
                                                memory_order_relaxed))
        return true;
    free_node(q, *slot);
    return false;
}

void armcii_shm_mcs_unlock(void *set, int owner, int mutex, unsigned slot)
{
    struct shm_mcs *q = set;
    struct waiter *mine = node_of(q, slot);
    unsigned last = slot + 1;
    if (!atomic_compare_exchange_strong_explicit(&tail_of(q, owner, mutex)->last, &last, 0, memory_order_acq_rel, memory_order_relaxed) &&
        !armcii_fault("lock-does-not-wait")) {
        wait_until_set(&mine->next);
        unsigned next = atomic_load_explicit(&mine->next, memory_order_relaxed) - 1;
        atomic_store_explicit(&node_of(q, next)->granted, 1, memory_order_release);
    }
    free_node(q, slot);
}
