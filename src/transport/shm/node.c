/* node.c - the node control block: reservations of memory, doorbells and the barrier; the
 * processors of the node. */
#define _GNU_SOURCE
#include "transport/shm/node.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/config.h"
#include "base/log.h"
#include "mpi/coll.h"
#include "mpi/world.h"
#include "base/system.h"
#include "transport/shm/segment.h"

/* A dissemination barrier (D. Hensgen, R. Finkel, U. Manber, "Two Algorithms for Barrier
 * Synchronization", 1988): in round k process i signals i + 2^k and waits for i - 2^k.  Flags hold
 * the number of the barrier, which only grows, so they need no reset. */
enum { ROUNDS = 20 }; /* for a million processes */
struct barrier_flags {
    _Alignas(64) atomic_uint arrived[ROUNDS];
    atomic_uint trial; /* what its process has written for the trial of the memory */
};

/* Bytes of shared memory. */
enum { OTHERS = 1 + CGROUP_LEVELS };
struct reservations {
    atomic_size_t bytes;          /* reserved */
    atomic_size_t others[OTHERS]; /* of other programs in the node, then in each group: at most what
                                     was in use at start */
};

struct node_control {
    struct reservations reservations;
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
    struct reservations *reservations;
    struct reservations none; /* for a process without a node control block */
    struct cgroups groups;    /* of the process, for memory */
    int levels;               /* the topmost groups, which contain all processes of the node */
    int doorbell_fd;
    atomic_uint cleared; /* the own count when it was cleared last */
} own = {.reservations = &own.none, .doorbell_fd = -1};

/* ---- processors ---- */

static void *allocate(size_t n, size_t bytes)
{
    return armcii_alloc(n, bytes, "tables of %zu processes", n);
}

/* The processes on the caller's kernel. */
static MPI_Comm kernel_comm(void)
{
    int on_node;
    MPI_Comm comm;
    MPI_Comm_size(armcii_world->on_node, &on_node);
    if (armcii_world->kernel_size == on_node) return armcii_world->on_node;
    armcii_coll_create(armcii_world->all, armcii_world->kernel_size, armcii_world->on_kernel,
                       CONTROL_KERNEL, &comm);
    return comm;
}

/* What each process on a kernel tells the others. */
enum { MASK_WORDS = 128 }; /* for the 8192 processors that Linux has at most */
struct record {
    uint64_t mask[MASK_WORDS];
    uint64_t cpu[CGROUP_LEVELS], memory[CGROUP_LEVELS]; /* its control groups */
};

static void fill_record(struct record *mine, const struct cgroups *cpu,
                        const struct cgroups *memory)
{
    size_t words;
    uint64_t *mask = armcii_processors_mask(&words);
    memcpy(mine->mask, mask, (words < MASK_WORDS ? words : MASK_WORDS) * sizeof *mask);
    memcpy(mine->cpu, cpu->id, sizeof mine->cpu);
    memcpy(mine->memory, memory->id, sizeof mine->memory);
    free(mask);
}

/* Of the processes on one kernel. */
struct cpu_tables {
    size_t n, me;
    uint64_t *masks;                /* [n * MASK_WORDS] */
    uint64_t (*ids)[CGROUP_LEVELS]; /* [n] */
};

static struct cpu_tables cpu_tables_of(const struct record records[], int n, int me)
{
    struct cpu_tables t = {.n = (size_t)n, .me = (size_t)me};
    t.masks = allocate(t.n * MASK_WORDS, sizeof *t.masks);
    t.ids = allocate(t.n, sizeof *t.ids);
    for (size_t i = 0; i < t.n; i++) {
        memcpy(t.masks + i * MASK_WORDS, records[i].mask, sizeof records[i].mask);
        memcpy(t.ids[i], records[i].cpu, sizeof t.ids[i]);
    }
    return t;
}

static uint64_t *join_masks(const uint64_t *masks, size_t n, size_t words)
{
    uint64_t *all = allocate(words, sizeof *all);
    for (size_t i = 0; i < n * words; i++)
        all[i % words] |= masks[i];
    return all;
}

/* Are there further processors for the servers of all nodes on this kernel? */
static bool are_free(size_t processors, size_t quota)
{
    size_t servers = 0;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    for (int i = 0; i < armcii_world->kernel_size; i++) {
        int process = armcii_world->on_kernel[i];
        servers += process < armcii_world->size && armcii_world->server_of[process] == process;
    }
    return online >= 0 && (size_t)online >= processors + servers && quota >= processors + servers;
}

static struct node_cpus count_cpus(const struct record records[], int n, int me,
                                   const struct cgroups *cpu, MPI_Comm comm)
{
    struct cpu_tables t = cpu_tables_of(records, n, me);
    const uint64_t(*ids)[CGROUP_LEVELS] = (const uint64_t(*)[CGROUP_LEVELS])t.ids;
    bool fits = !armcii_processors_oversubscribed(t.masks, t.n, MASK_WORDS, t.me) &&
                !armcii_processors_over_quota(cpu, ids, t.n);
    size_t processors = armcii_processors_of_all(t.masks, t.n, MASK_WORDS),
           quota = armcii_processors_quota(cpu, ids, t.n);
    struct node_cpus cpus = {
        .processes = t.n,
        .processors = quota < processors ? quota : processors,
        .oversubscribed = !armcii_coll_all(fits, comm),
        .taken = are_free(processors, quota) ? join_masks(t.masks, t.n, MASK_WORDS) : NULL,
        .words = MASK_WORDS};
    free(t.masks);
    free(t.ids);
    return cpus;
}

/* ---- reservations ---- */

/* A page is charged to the group of the process that touches it first, so only groups that contain
 * all processes of the node bound a region. */
static int shared_levels(const struct record records[])
{
    int shared = own.groups.levels;
    for (int i = 0; i < armcii_world->kernel_size; i++) {
        if (!armcii_world_is_on_node(armcii_world->on_kernel[i])) continue;
        int same = 0;
        while (same < shared && records[i].memory[same] == own.groups.id[same])
            same++;
        shared = same;
    }
    return shared;
}

/* Shared memory of other programs, given `touched` bytes of ARMCI: in the node, then in the groups.
 */
static void read_others(size_t touched, size_t others[OTHERS])
{
    struct memory node;
    armcii_memory_read("", &node);
    others[0] = node.shared;
    for (int i = 0; i < own.levels; i++)
        others[1 + i] = armcii_cgroups_shared(&own.groups, i);
    for (int i = 0; i <= own.levels; i++)
        others[i] = others[i] > touched ? others[i] - touched : 0;
}

static void start_reservations(void)
{
    size_t others[OTHERS];
    own.reservations = own.control ? &own.control->reservations : &own.none;
    if (!own.control || the_node.rank > 0) return;
    read_others(0, others);
    for (int i = 0; i <= own.levels; i++)
        atomic_store(&own.reservations->others[i], others[i]);
}

void armcii_reservation_add(size_t bytes)
{
    atomic_fetch_add_explicit(&own.reservations->bytes, bytes, memory_order_relaxed);
}

void armcii_reservation_release(size_t bytes)
{
    atomic_fetch_sub_explicit(&own.reservations->bytes, bytes, memory_order_relaxed);
}

/* Bytes available if `reserved` bytes are touched. */
static size_t memory_left(size_t reserved)
{
    struct reserved known = {reserved, atomic_load(&own.reservations->others[0]), {0}};
    for (int i = 0; i < own.levels; i++)
        known.others_in_group[i] = atomic_load(&own.reservations->others[1 + i]);
    return armcii_memory_left("", &own.groups, own.levels, &known);
}

/* Reserves before the check, so that two processes cannot both get the last memory. */
bool armcii_reservation_try(size_t bytes, size_t *left)
{
    size_t before =
        atomic_fetch_add_explicit(&own.reservations->bytes, bytes, memory_order_relaxed);
    *left = memory_left(own.reservations == &own.none ? 0 : before);
    if (armcii_memory_with_tables(bytes) <= *left) return true;
    armcii_reservation_release(bytes);
    return false;
}

void armcii_reservation_correct(size_t touched)
{
    size_t others[OTHERS];
    read_others(touched, others);
    for (int i = 0; i <= own.levels; i++)
        if (others[i] < atomic_load(&own.reservations->others[i]))
            atomic_store(&own.reservations->others[i], others[i]);
}

/* ---- doorbells ---- */

/* Bind to a name that the kernel chooses, unique in the network namespace and in no file system,
 * and publish it. */
static bool bind_to_name(int s, struct doorbell *mine)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    socklen_t length = sizeof name.sun_family;
    if (bind(s, (struct sockaddr *)&name, length) != 0) return false;
    length = sizeof name;
    if (getsockname(s, (struct sockaddr *)&name, &length) != 0) return false;
    length -= (socklen_t)offsetof(struct sockaddr_un, sun_path);
    if (length == 0 || length > sizeof mine->name) return false;
    memcpy(mine->name, name.sun_path, length);
    mine->length = (unsigned char)length;
    return true;
}

static int open_socket(struct doorbell *mine)
{
    int s = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (s < 0 || bind_to_name(s, mine)) return s;
    close(s);
    return -1;
}

static void send_datagram(const struct doorbell *b)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    memcpy(name.sun_path, b->name, b->length);
    sendto(own.doorbell_fd, NULL, 0, MSG_DONTWAIT, (struct sockaddr *)&name,
           (socklen_t)(offsetof(struct sockaddr_un, sun_path) + b->length));
}

/* Read all datagrams; true if there was one. */
static bool drain_socket(void)
{
    bool any = false;
    char unused;
    while (recv(own.doorbell_fd, &unused, sizeof unused, MSG_DONTWAIT) >= 0)
        any = true;
    return any;
}

/* Containers on one node may share memory but no network namespace: each process sends a datagram
 * to the next one. */
static bool test_datagrams(void)
{
    int next = (the_node.rank + 1) % the_node.size;
    if (!armcii_coll_all(own.doorbell_fd >= 0, the_node.comm)) return false;
    send_datagram(&the_node.doorbells[next]);
    armcii_coll_barrier(the_node.comm);
    return armcii_coll_all(drain_socket(), the_node.comm);
}

void armcii_doorbell_open(void)
{
    struct doorbell *mine = &the_node.doorbells[the_node.rank];
    own.doorbell_fd = open_socket(mine);
    atomic_store(&own.cleared, atomic_load(&mine->rung));
}

void armcii_doorbells_start(void)
{
    if (!the_node.doorbells || the_node.size == 1) return;
    armcii_doorbell_open();
    if (!test_datagrams()) armcii_doorbells_end();
}

void armcii_doorbells_end(void)
{
    if (own.doorbell_fd >= 0) close(own.doorbell_fd);
    own.doorbell_fd = -1;
}

int armcii_doorbell_fd(void)
{
    return own.doorbell_fd;
}

void armcii_doorbell_ring_number(unsigned number)
{
    struct doorbell *b = &the_node.doorbells[number];
    atomic_fetch_add(&b->rung, 1);
    if (atomic_load(&b->asleep)) send_datagram(b);
}

void armcii_doorbell_ring(int process)
{
    if (own.doorbell_fd < 0 || process == armcii_world->rank || !armcii_world_is_on_node(process))
        return;
    armcii_doorbell_ring_number((unsigned)armcii_world->local_rank_of[process]);
}

bool armcii_doorbell_is_pending(void)
{
    return the_node.doorbells &&
           atomic_load(&the_node.doorbells[the_node.rank].rung) != atomic_load(&own.cleared);
}

bool armcii_doorbell_clear(void)
{
    if (!armcii_doorbell_is_pending()) return false;
    atomic_store(&own.cleared, atomic_load(&the_node.doorbells[the_node.rank].rung));
    drain_socket();
    return true;
}

void armcii_doorbell_arm(bool armed)
{
    if (own.doorbell_fd >= 0) atomic_store(&the_node.doorbells[the_node.rank].asleep, armed);
}

/* ---- start and end ---- */

/* Does each process see the stores of the others? */
static bool is_shared(int processes)
{
    bool good = true;
    atomic_store(&own.control->flags[the_node.rank].trial, (unsigned)the_node.rank + 1);
    armcii_coll_barrier(the_node.comm);
    for (int i = 0; i < processes; i++)
        if (atomic_load(&own.control->flags[i].trial) != (unsigned)i + 1) good = false;
    return good;
}

/* Whether the control block exists, and is shared, is the same on all processes of the node. */
static bool create_control(void)
{
    int processes;
    MPI_Comm_size(the_node.comm, &processes);
    size_t n = (size_t)processes;
    own.control_bytes = sizeof *own.control +
                        n * (sizeof own.control->flags[0] + sizeof(struct doorbell)) +
                        armcii_world->table_bytes;
    int fd = armcii_segment_share(own.control_bytes, the_node.comm);
    if (fd < 0) return false;
    void *memory = mmap(NULL, own.control_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd); /* all have opened it */
    if (memory != MAP_FAILED) own.control = memory;
    if (!armcii_coll_all(memory != MAP_FAILED, the_node.comm)) return false;
    the_node.stripes = own.control->stripes;
    the_node.doorbells = (struct doorbell *)(void *)(own.control->flags + n);
    the_node.world_tables = (int *)(void *)(the_node.doorbells + n);
    if (the_node.rank == 0)
        memcpy(the_node.world_tables, armcii_world->tables, armcii_world->table_bytes);
    return is_shared(processes);
}

static void free_control(void)
{
    if (own.control) munmap(own.control, own.control_bytes);
    own.control = NULL;
    the_node.stripes = NULL;
    the_node.doorbells = NULL;
    the_node.world_tables = NULL;
}

/* Tell the other processes on this kernel what they must know, and learn the same of them:
 * processors, and levels of control groups. */
static void survey_kernel(void)
{
    int n, me;
    struct cgroups cpu;
    struct record mine = {0};
    MPI_Comm comm = kernel_comm();
    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &me);
    armcii_cgroups_read("", CGROUP_CPU, &cpu);
    armcii_cgroups_read("", CGROUP_MEMORY, &own.groups);
    fill_record(&mine, &cpu, &own.groups);
    struct record *records = allocate((size_t)n, sizeof *records);
    armcii_coll_allgather(&(struct ring){.rank = me, .size = n, .comm = comm}, &mine, records,
                          (int)sizeof mine);
    the_node.cpus = count_cpus(records, n, me, &cpu, comm);
    own.levels = shared_levels(records);
    free(records);
    if (comm != armcii_world->on_node) MPI_Comm_free(&comm);
}

void armcii_node_start(void)
{
    the_node.comm = armcii_world->on_node;
    MPI_Comm_rank(the_node.comm, &the_node.rank);
    for (int i = 0; i < armcii_world->size; i++)
        the_node.size += armcii_world_is_on_node(i);
    the_node.shares_memory =
        armcii_config->shm == SHM_AUTO && armcii_coll_all(create_control(), armcii_world->all);
    if (!the_node.shares_memory) free_control();
    own.barriers = 0;
    survey_kernel();
    armcii_backoff.spin_limit = the_node.cpus.oversubscribed
                                    ? SPIN_LIMIT_OVERSUBSCRIBED
                                    : SPIN_LIMIT; /* spinning pays with a processor each */
    start_reservations();
}

void armcii_node_share_nothing(void)
{
    the_node.shares_memory = false;
}

void armcii_node_end(void)
{
    own.reservations = &own.none;
    own.levels = 0;
    free_control();
    free(the_node.cpus.taken);
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
    unsigned number = ++own.barriers;
    for (int round = 0, distance = 1; distance < n; round++, distance *= 2) {
        int to = (me + distance) % n;
        atomic_store_explicit(&own.control->flags[to].arrived[round], number, memory_order_release);
        wait_for(&own.control->flags[me].arrived[round], number);
    }
    atomic_thread_fence(memory_order_seq_cst);
}
