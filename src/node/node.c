/* node.c - the node control block and its barrier. */
#define _GNU_SOURCE
#include "node/node.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/backoff.h"
#include "base/config.h"
#include "mpi/coll.h"
#include "mpi/world.h"
#include "node/doorbell.h"
#include "node/segment.h"

/* A dissemination barrier (D. Hensgen, R. Finkel, U. Manber, "Two Algorithms for Barrier
 * Synchronization", 1988): in round k process i signals i + 2^k and waits for i - 2^k. Flags hold
 * the number of the barrier, which only grows, so they need no reset. */
enum { ROUNDS = 20 }; /* for a million processes */
struct barrier_flags {
    _Alignas(64) atomic_uint arrived[ROUNDS];
    atomic_uint trial; /* what its process has written for the trial of the memory */
};

struct node_control {
    atomic_size_t reserved; /* bytes of regions (cpus.h) */
    atomic_bool left, told; /* a process has left the program while ARMCI runs */
    struct stripe stripes[STRIPES];
    struct barrier_flags flags[]; /* one for each process of the node communicator; as many
                                     doorbells follow, then the tables of the world */
};

static struct node the_node;
const struct node *const armcii_node = &the_node;

/* Beside the_node, which others read. */
static struct {
    struct node_control *control;
    size_t control_bytes;
    unsigned barriers;
} node;

/* ---- start and end ---- */

/* True if each process sees the stores of the others. */
static bool is_shared(void)
{
    bool good = true;
    atomic_store(&node.control->flags[the_node.rank].trial, (unsigned)the_node.rank + 1);
    armcii_coll_barrier(the_node.comm);
    for (int i = 0; i < the_node.size; i++)
        if (atomic_load(&node.control->flags[i].trial) != (unsigned)i + 1) good = false;
    return good;
}

/* Whether the control block exists, and is shared, is the same on all processes of the node. */
static bool create_control(void)
{
    size_t n = (size_t)the_node.size;
    node.control_bytes = sizeof *node.control +
                         n * (sizeof node.control->flags[0] + sizeof(struct doorbell)) +
                         armcii_world->table_bytes;
    int fd = armcii_segment_share(node.control_bytes, the_node.comm, &the_node.obstacle);
    if (fd < 0) return false;
    void *memory = mmap(NULL, node.control_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd); /* all have opened it */
    if (memory != MAP_FAILED) node.control = memory;
    if (!armcii_coll_all(memory != MAP_FAILED, the_node.comm)) {
        the_node.obstacle = OBSTACLE_MAPPING;
        return false;
    }
    the_node.stripes = node.control->stripes;
    struct doorbell *doorbells = (struct doorbell *)(void *)(node.control->flags + n);
    armcii_doorbells_use(doorbells, the_node.rank, the_node.size, the_node.comm);
    the_node.world_tables = (int *)(void *)(doorbells + n);
    return is_shared();
}

static void free_control(void)
{
    if (node.control) munmap(node.control, node.control_bytes);
    node.control = NULL;
    the_node.stripes = NULL;
    armcii_doorbells_use(NULL, 0, 0, MPI_COMM_NULL);
    the_node.world_tables = NULL;
}

void armcii_node_start(void)
{
    the_node.comm = armcii_world->on_node;
    MPI_Comm_rank(the_node.comm, &the_node.rank);
    MPI_Comm_size(the_node.comm, &the_node.size);
    the_node.shares_memory =
        armcii_config->shm == SHM_AUTO && armcii_coll_all(create_control(), armcii_world->comm);
    if (!the_node.shares_memory) free_control();
    node.barriers = 0;
    armcii_cpus_start(&the_node.cpus, node.control ? &node.control->reserved : NULL, the_node.comm);
    armcii_backoff.spin_limit = the_node.cpus.oversubscribed
                                    ? SPIN_LIMIT_OVERSUBSCRIBED
                                    : SPIN_LIMIT; /* spinning pays with a processor each */
}

bool armcii_node_is_first_to_leave(void)
{
    enum { STEP_US = 1000, STEPS = 500 };
    if (!node.control || !atomic_exchange(&node.control->left, true)) return true;
    for (int i = 0; i < STEPS && !atomic_load(&node.control->told); i++)
        usleep(STEP_US);
    return false;
}

void armcii_node_has_told(void)
{
    if (node.control) atomic_store(&node.control->told, true);
}

void armcii_node_share_nothing(enum obstacle obstacle)
{
    the_node.shares_memory = false;
    the_node.obstacle = obstacle;
}

void armcii_node_end(void)
{
    armcii_cpus_end();
    free_control();
    the_node = (struct node){0};
    armcii_backoff.spin_limit = SPIN_LIMIT_OVERSUBSCRIBED;
}

static void wait_for(atomic_uint *arrived, unsigned number)
{
    struct backoff p = {0};
    while ((int)(atomic_load_explicit(arrived, memory_order_acquire) - number) < 0)
        if (armcii_backoff_yield(&p)) armcii_backoff.progress();
}

void armcii_node_barrier(void)
{
    int me = the_node.rank, n = the_node.size;
    unsigned number = ++node.barriers;
    for (int round = 0, distance = 1; distance < n; round++, distance *= 2) {
        int to = (me + distance) % n;
        atomic_store_explicit(&node.control->flags[to].arrived[round], number,
                              memory_order_release);
        wait_for(&node.control->flags[me].arrived[round], number);
    }
    atomic_thread_fence(memory_order_seq_cst);
}
