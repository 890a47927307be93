/* host.c - the block that the processes of a host have in common: locks and the barrier. */
#include "shm/host.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "team/world.h"

/* A dissemination barrier (D. Hensgen, R. Finkel, U. Manber, "Two Algorithms for Barrier Synchronization", 1988): in round k each process
 * tells the one 2^k further on, and waits for the one 2^k before.  Numbers of barriers only grow, so cells need no reset. */
enum { ROUNDS = 20 }; /* for a million processes */
struct cell {
    _Alignas(64) atomic_uint arrived[ROUNDS];
};

struct commons {
    struct stripe stripes[STRIPES];
    struct cell cells[]; /* one for each process of the host's communicator; then as many bells, then as many offers */
};

static struct host the_host;
const struct host *const armcii_host = &the_host;

static struct shm_segment segment;
static struct commons *commons;
static unsigned barriers;

/* Names the running kernel, whose processors are shared even by hosts that are containers on it; 0: unknown. */
static uint64_t kernel_name(void)
{
    char text[64] = "";
    uint64_t name = 0;
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (!f) return 0;
    if (!fgets(text, sizeof text, f)) text[0] = 0;
    fclose(f);
    for (const char *c = text; *c; c++) name = name * 31 + (unsigned char)*c;
    return name;
}

/* Processes that share this one's processors. */
static long processes_beside(void)
{
    long n = 0, ranks = armcii_world->size + armcii_world->aside, here = the_host.size + (armcii_world->aside > 0);
    uint64_t mine = kernel_name(), *all = malloc((size_t)ranks * sizeof *all);
    if (!all) armcii_fatal("out of memory for tables of %ld processes", ranks);
    MPI_Allgather(&mine, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, armcii_world->all);
    for (long i = 0; i < ranks; i++) n += all[i] == mine && mine != 0;
    free(all);
    return n > here ? n : here;
}

/* Spinning pays only where the process waited for has a processor of its own. */
static void decide_patience(void)
{
    armcii_wait_spins = processes_beside() <= sysconf(_SC_NPROCESSORS_ONLN) ? WAIT_SPINS : WAIT_SPINS_CROWDED;
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
}

void armcii_host_end(void)
{
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
