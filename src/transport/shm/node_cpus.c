/* node_cpus.c - counting processes and the processors that they may use: affinity masks, cpusets and quotas as they are at the start. */
#include "transport/shm/node_cpus.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/processors.h"
#include "mpi/world.h"

static void *allocate(size_t n, size_t bytes)
{
    void *p = calloc(n, bytes);
    if (!p) armcii_fatal("out of memory for tables of %zu processes", n);
    return p;
}

/* Names the running kernel, whose processors are shared even by nodes that are containers on it; 0: unknown. */
static uint64_t kernel_name(void)
{
    char text[64] = "";
    uint64_t name = 0;
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (!f) return 0;
    if (!fgets(text, sizeof text, f)) text[0] = 0;
    fclose(f);
    for (const char *c = text; *c; c++)
        name = name * 31 + (unsigned char)*c;
    return name;
}

/* The processes on the caller's kernel; on its node, where the kernel has no name. */
static MPI_Comm split_by_kernel(void)
{
    MPI_Comm comm;
    int ranks = armcii_world->size + armcii_world->progress_ranks, first = 0;
    uint64_t mine = kernel_name(), *all = allocate((size_t)ranks, sizeof *all);
    MPI_Allgather(&mine, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, armcii_world->all);
    while (all[first] != mine)
        first++;
    free(all);
    MPI_Comm_split(armcii_world->all, mine != 0 ? first : ranks + armcii_world->node_of[armcii_world->rank], armcii_world->rank, &comm);
    return comm;
}

/* All masks, of the same length. */
static uint64_t *gather_masks(MPI_Comm comm, size_t n, size_t *words)
{
    size_t own_words;
    uint64_t *own = armcii_processors_mask(&own_words), length = own_words, longest;
    MPI_Allreduce(&length, &longest, 1, MPI_UINT64_T, MPI_MAX, comm);
    *words = (size_t)longest;
    uint64_t *mine = allocate(*words, sizeof *mine), *all = allocate(n * *words, sizeof *all);
    memcpy(mine, own, own_words * sizeof *mine);
    MPI_Allgather(mine, (int)*words, MPI_UINT64_T, all, (int)*words, MPI_UINT64_T, comm);
    free(own);
    free(mine);
    return all;
}

static struct node_cpus count(MPI_Comm comm)
{
    int size, rank;
    size_t words;
    struct cgroups groups;
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    size_t n = (size_t)size;
    uint64_t *masks = gather_masks(comm, n, &words), (*ids)[CGROUP_LEVELS] = allocate(n, sizeof *ids);
    armcii_cgroups_read("", CGROUP_CPU, &groups);
    MPI_Allgather(groups.id, CGROUP_LEVELS, MPI_UINT64_T, ids, CGROUP_LEVELS, MPI_UINT64_T, comm);
    const uint64_t(*groups_of)[CGROUP_LEVELS] = (const uint64_t(*)[CGROUP_LEVELS])ids;
    int oversubscribed = armcii_processors_crowded(masks, n, words, (size_t)rank) || armcii_processors_over_quota(&groups, groups_of, n), any;
    MPI_Allreduce(&oversubscribed, &any, 1, MPI_INT, MPI_MAX, comm);
    size_t processors = armcii_processors_of_all(masks, n, words), quota = armcii_processors_quota(&groups, groups_of, n);
    free(masks);
    free(ids);
    return (struct node_cpus){.processes = n, .processors = quota < processors ? quota : processors, .oversubscribed = any};
}

struct node_cpus armcii_node_cpus_count(void)
{
    MPI_Comm comm = split_by_kernel();
    struct node_cpus cpus = count(comm);
    MPI_Comm_free(&comm);
    return cpus;
}
