/* host.c - the block that the processes of a host have in common: locks and the barrier. */
#include "shm/host.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/wait.h"
#include "shm/promise.h"
#include "team/world.h"

/* A dissemination barrier (D. Hensgen, R. Finkel, U. Manber, "Two Algorithms for Barrier Synchronization", 1988): in round k each process
 * tells the one 2^k further on, and waits for the one 2^k before.  Numbers of barriers only grow, so cells need no reset. */
enum { ROUNDS = 20 }; /* for a million processes */
struct cell {
    _Alignas(64) atomic_uint arrived[ROUNDS];
};

struct commons {
    struct promises promises;
    struct stripe stripes[STRIPES];
    struct cell cells[]; /* one for each process of the host's communicator; then as many bells, then as many offers */
};

static struct host the_host;
const struct host *const armcii_host = &the_host;

static struct shm_segment segment;
static struct commons *commons;
static unsigned barriers;

/* Spinning pays only where the process waited for has a processor of its own. */
static void decide_patience(void)
{
    the_host.crowd = armcii_crowd_count();
    armcii_wait_spins = the_host.crowd.crowded ? WAIT_SPINS_CROWDED : WAIT_SPINS;
}

static enum segment_kind choose_kind(const enum segment_kind kinds[])
{
    for (; *kinds != SEGMENT_NONE; kinds++) {
        int good = armcii_segment_try(*kinds, the_host.comm), all;
        MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, armcii_world->all);
        if (all) return *kinds;
    }
    return SEGMENT_NONE;
}

/* The block is the first process's slice. */
static void share_commons(void)
{
    size_t n = (size_t)the_host.size + (armcii_world->aside > 0);
    size_t *sizes = calloc(n, sizeof *sizes);
    char **slices = calloc(n, sizeof *slices);
    if (!sizes || !slices) armcii_fatal("out of memory for tables of %d processes", the_host.size);
    sizes[0] = sizeof *commons + n * (sizeof commons->cells[0] + sizeof(struct bell) + sizeof(struct offers));
    if (armcii_segment_create(&segment, the_host.kind, the_host.comm, sizes, slices) != 0)
        armcii_fatal("no shared memory for %zu bytes of locks", sizes[0]);
    commons = (struct commons *)(void *)slices[0];
    the_host.stripes = commons->stripes;
    the_host.bells = (struct bell *)(void *)(commons->cells + n);
    the_host.offers = (struct offers *)(void *)(the_host.bells + n);
    free(sizes);
    free(slices);
}

static void number_neighbours(void)
{
    const struct world *w = armcii_world;
    the_host.rank_of = malloc((size_t)w->size * sizeof *the_host.rank_of);
    if (!the_host.rank_of) armcii_fatal("out of memory for tables of %d processes", w->size);
    for (int i = 0, n = 0; i < w->size; i++) the_host.rank_of[i] = w->host_of[i] == w->host_of[w->rank] ? n++ : -1;
}

void armcii_host_start(const enum segment_kind kinds[])
{
    MPI_Comm_split(armcii_world->all, armcii_world->host_of[armcii_world->rank], armcii_world->rank, &the_host.comm);
    MPI_Comm_rank(the_host.comm, &the_host.rank);
    MPI_Comm_size(the_host.comm, &the_host.size);
    if (armcii_world->aside > 0) the_host.size--;
    number_neighbours();
    the_host.kind = choose_kind(kinds);
    barriers = 0;
    decide_patience();
    if (the_host.kind != SEGMENT_NONE) share_commons();
    armcii_promise_start(the_host.comm, commons ? &commons->promises : NULL, the_host.kind == SEGMENT_MPI);
}

void armcii_host_end(void)
{
    armcii_promise_end();
    if (the_host.kind != SEGMENT_NONE) armcii_segment_free(&segment);
    MPI_Comm_free(&the_host.comm);
    free(the_host.rank_of);
    the_host = (struct host){0};
    commons = NULL;
}

static void wait_for(atomic_uint *arrived, unsigned number)
{
    struct patience p = {0};
    while ((int)(atomic_load_explicit(arrived, memory_order_acquire) - number) < 0)
        if (armcii_wait_turn(&p)) armcii_wait_serve();
}

void armcii_host_barrier(void)
{
    int me = the_host.rank, n = the_host.size;
    unsigned number = ++barriers;
    for (int round = 0, distance = 1; distance < n; round++, distance *= 2) {
        int to = (me + distance) % n;
        atomic_store_explicit(&commons->cells[to].arrived[round], number, memory_order_release);
        wait_for(&commons->cells[me].arrived[round], number);
    }
    atomic_thread_fence(memory_order_seq_cst);
}
