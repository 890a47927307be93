/* survey.c - what the processes on one kernel tell each other: processors and control groups. */
#include "node/survey.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/processors.h"
#include "mpi/coll.h"
#include "mpi/world.h"

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
    armcii_coll_create(armcii_world->comm, armcii_world->kernel_size, armcii_world->on_kernel,
                       CONTROL_KERNEL, &comm);
    return comm;
}

/* What each process on a kernel tells the others. */
enum { MASK_WORDS = 128 }; /* for the 8192 processors that Linux has at most */
struct process_facts {
    uint64_t mask[MASK_WORDS];
    uint64_t cpu[CGROUP_LEVELS], memory[CGROUP_LEVELS]; /* its control groups */
};

static void fill_facts(struct process_facts *mine, const struct cgroups *cpu,
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

static struct cpu_tables cpu_tables_of(const struct process_facts facts[], int n, int me)
{
    struct cpu_tables t = {.n = (size_t)n, .me = (size_t)me};
    t.masks = allocate(t.n * MASK_WORDS, sizeof *t.masks);
    t.ids = allocate(t.n, sizeof *t.ids);
    for (size_t i = 0; i < t.n; i++) {
        memcpy(t.masks + i * MASK_WORDS, facts[i].mask, sizeof facts[i].mask);
        memcpy(t.ids[i], facts[i].cpu, sizeof t.ids[i]);
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
        servers += armcii_world->node_of[process] == process;
    }
    return online >= 0 && (size_t)online >= processors + servers && quota >= processors + servers;
}

static struct node_cpus count_cpus(const struct process_facts facts[], int n, int me,
                                   const struct cgroups *cpu, MPI_Comm comm)
{
    struct cpu_tables t = cpu_tables_of(facts, n, me);
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

/* A page is charged to the group of the process that touches it first, so only groups that contain
 * all processes of the node bound a region. */
static int shared_levels(const struct process_facts facts[], const struct cgroups *own)
{
    int shared = own->levels;
    for (int i = 0; i < armcii_world->kernel_size; i++) {
        if (!armcii_world_is_on_node(armcii_world->on_kernel[i])) continue;
        int same = 0;
        while (same < shared && facts[i].memory[same] == own->id[same])
            same++;
        shared = same;
    }
    return shared;
}

void armcii_survey(struct survey *s)
{
    int n, me;
    struct cgroups cpu;
    struct process_facts mine = {0};
    MPI_Comm comm = kernel_comm();
    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &me);
    armcii_cgroups_read("", CGROUP_CPU, &cpu);
    armcii_cgroups_read("", CGROUP_MEMORY, &s->memory);
    fill_facts(&mine, &cpu, &s->memory);
    struct process_facts *facts = allocate((size_t)n, sizeof *facts);
    armcii_coll_allgather(&(struct ring){.rank = me, .size = n, .comm = comm}, &mine, facts,
                          (int)sizeof mine);
    s->cpus = count_cpus(facts, n, me, &cpu, comm);
    s->levels = shared_levels(facts, &s->memory);
    free(facts);
    if (comm != armcii_world->on_node) MPI_Comm_free(&comm);
}
