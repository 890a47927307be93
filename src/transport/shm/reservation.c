/* reservation.c - accounting of the shared memory of a node. */
#include "transport/shm/reservation.h"

#include <stdint.h>

#include "base/system.h"

static struct reservations none; /* for a process without a node control block */
static struct reservations *reservations = &none;
static struct cgroups groups;
static int levels; /* the topmost groups, which contain all processes of the node */
static bool bounded_by_files;

/* A page is charged to the group of the process that touches it first, so only groups that contain all processes of the node bound a
 * region. */
static int shared_levels(MPI_Comm comm)
{
    uint64_t mine[2 * CGROUP_LEVELS], highest[2 * CGROUP_LEVELS]; /* the complements turn MPI_MAX into a minimum */
    int n = 0;
    for (int i = 0; i < CGROUP_LEVELS; i++) {
        mine[i] = groups.id[i];
        mine[CGROUP_LEVELS + i] = ~groups.id[i];
    }
    MPI_Allreduce(mine, highest, 2 * CGROUP_LEVELS, MPI_UINT64_T, MPI_MAX, comm);
    while (n < groups.levels && highest[n] == ~highest[CGROUP_LEVELS + n])
        n++;
    return n;
}

/* Shared memory of other programs, given `touched` bytes of ARMCI: in the node, then in the groups. */
static void read_others(size_t touched, size_t others[OTHERS])
{
    struct memory node;
    armcii_memory_read("", &node);
    others[0] = node.shared;
    for (int i = 0; i < levels; i++)
        others[1 + i] = armcii_cgroups_shared(&groups, i);
    for (int i = 0; i <= levels; i++)
        others[i] = others[i] > touched ? others[i] - touched : 0;
}

void armcii_reservation_start(MPI_Comm comm, struct reservations *shared, bool in_dev_shm)
{
    int rank;
    size_t others[OTHERS];
    MPI_Comm_rank(comm, &rank);
    armcii_cgroups_read("", CGROUP_MEMORY, &groups);
    levels = shared_levels(comm);
    reservations = shared ? shared : &none;
    bounded_by_files = in_dev_shm;
    if (!shared || rank > 0) return;
    read_others(0, others);
    for (int i = 0; i <= levels; i++)
        atomic_store(&reservations->others[i], others[i]);
}

void armcii_reservation_end(void)
{
    reservations = &none;
    levels = 0;
}

void armcii_reservation_add(size_t bytes)
{
    atomic_fetch_add_explicit(&reservations->bytes, bytes, memory_order_relaxed);
}

void armcii_reservation_release(size_t bytes)
{
    atomic_fetch_sub_explicit(&reservations->bytes, bytes, memory_order_relaxed);
}

/* Bytes available if `reserved` bytes are touched. */
static size_t memory_left(size_t reserved)
{
    struct reserved known = {reserved, atomic_load(&reservations->others[0]), {0}};
    for (int i = 0; i < levels; i++)
        known.others_in_group[i] = atomic_load(&reservations->others[1 + i]);
    size_t left = armcii_memory_left("", &groups, levels, &known), in_files = bounded_by_files ? armcii_memory_in_dev_shm() : SIZE_MAX;
    return left < in_files ? left : in_files;
}

/* Reserves before the check, so that two processes cannot both get the last memory. */
bool armcii_reservation_try(size_t bytes, size_t *left)
{
    size_t before = atomic_fetch_add_explicit(&reservations->bytes, bytes, memory_order_relaxed);
    *left = memory_left(reservations == &none ? 0 : before);
    if (armcii_memory_with_tables(bytes) <= *left) return true;
    armcii_reservation_release(bytes);
    return false;
}

void armcii_reservation_correct(size_t touched)
{
    size_t others[OTHERS];
    read_others(touched, others);
    for (int i = 0; i <= levels; i++)
        if (others[i] < atomic_load(&reservations->others[i])) atomic_store(&reservations->others[i], others[i]);
}
