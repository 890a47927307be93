/* mutex.c - ticket locks in shared memory. */
#include "transport/shm/mutex.h"

#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "base/log.h"
#include "mpi/coll.h"
#include "mpi/world.h"
#include "node/agree.h"
#include "node/cpus.h"
#include "node/heap.h"
#include "node/doorbell.h"
#include "node/range.h"
#include "transport/transport.h"

enum { CACHE_LINE = 64, FEW = 1024 };

/* Reserve memory, since the kernel would kill the job at the first touch of more than there is.
 * False, on all members, if a node lacks it. A few mutexes are not worth a look at the system. */
static bool reserve(struct mutex_memory *set)
{
    enum { UNCHECKED_MAX = 1 << 20 }; /* bytes of each process */
    const struct agreement *a = set->team->agreement;
    size_t bytes = a->local_rank == 0 ? (size_t)a->here * set->range.stride : 0, left;
    if (set->range.stride <= UNCHECKED_MAX) return true;
    if (bytes > 0 && armcii_reservation_try(bytes, armcii_heap_touched(), &left))
        set->reserved = bytes;
    if (armcii_coll_all(set->reserved == bytes, set->team->comm)) return true;
    armcii_reservation_release(set->reserved);
    return false;
}

void *armcii_mutexes_create(struct team *team, const int count[], unsigned long name)
{
    struct mutex_memory *set = armcii_alloc(1, sizeof *set, "mutexes");
    int most = 0;
    (void)name;
    set->team = team;
    for (int i = 0; i < team->size; i++)
        if (count[i] > most) most = count[i];
    set->stride = most <= FEW ? CACHE_LINE : sizeof(struct mutex);
    if (!armcii_range_alloc(team, (size_t)most * set->stride, false, &set->range)) {
        free(set);
        return NULL;
    }
    if (!reserve(set)) {
        armcii_range_free(team, &set->range);
        free(set);
        return NULL;
    }
    memset(armcii_mutex_address(set, team->rank, 0), 0, (size_t)count[team->rank] * set->stride);
    armcii_coll_barrier(team->comm);
    return set;
}

void armcii_mutexes_free(void *set)
{
    const struct mutex_memory *s = set;
    armcii_range_free(s->team, &s->range);
    armcii_reservation_release(s->reserved);
    free(set);
}

struct mutex *armcii_mutex_address(const void *set, int owner, int mutex)
{
    const struct mutex_memory *s = set;
    char *first = armcii_heap_address(s->team->to_world[owner], s->range.offset, s->range.stride);
    return (struct mutex *)(void *)(first + (size_t)mutex * s->stride);
}

/* Only the next in line spins: more spinners would steal the cache line from the holder. The
 * holder may depend on other threads of this process, and on its progress. */
static void wait_for(struct mutex *m, unsigned ticket)
{
    struct backoff p = {0};
    for (;;) {
        unsigned serving = atomic_load(&m->now_serving);
        if (serving == ticket) return;
        if (serving + 1 == ticket && armcii_backoff_spin(&p)) continue;
        armcii_progress();
        armcii_lock_backoff(&p);
    }
}

void armcii_mutex_lock(struct mutex *m)
{
    unsigned ticket = armcii_mutex_draw(m);
    wait_for(m, ticket);
    armcii_mutex_set_holder(m, armcii_world->rank);
}

/* Draw the next ticket only if it is its turn at once. Numbers only grow, so the mutex is free if
 * its next ticket is still the one that was its turn before. */
bool armcii_mutex_trylock(struct mutex *m)
{
    unsigned ticket = atomic_load(&m->now_serving);
    if (!atomic_compare_exchange_strong(&m->tickets, &ticket, ticket + 1)) return false;
    armcii_mutex_set_holder(m, armcii_world->rank);
    return true;
}

/* Odd, since 0 means that no server waits. */
static unsigned awaited_of(unsigned ticket)
{
    return 2 * ticket + 1;
}

/* The server writes `awaited`, then looks at `now_serving`: one of the two sees the other's. */
void armcii_mutex_await(struct mutex *m, unsigned ticket)
{
    atomic_store(&m->awaited, awaited_of(ticket));
}

bool armcii_mutex_unlock(struct mutex *m)
{
    const unsigned serving = armcii_mutex_pass(m);
    if (atomic_load(&m->awaited) != awaited_of(serving)) return false;
    armcii_doorbell_ring_server();
    return true;
}
