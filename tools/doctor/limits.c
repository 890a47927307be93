/* limits.c - what a job of this size may run into: memory, descriptors, mappings, threads of the
 * program; of the node where it is worst. */
#include "probes.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/config.h"
#include "base/system.h"
#include "../lib/limits.h"
#include "lines.h"
#include "node/heap.h"
#include "node/cpus.h"
#include "node/node.h"

/* Below these values a start succeeds, and later failures are likely. */
enum { SCARCE_MEMORY = 256 << 20, SCARCE_MAPPINGS = 1000, OWN_DESCRIPTORS = 64 };

/* How much is lacking on this node; 0: nothing. */
static long lacking_memory(void)
{
    size_t each = armcii_memory_left(armcii_heap_touched()) / (size_t)armcii_node->size;
    return each < SCARCE_MEMORY ? SCARCE_MEMORY - (long)each : 0;
}

/* MPI over TCP needs a connection for each peer on other nodes. */
static long lacking_descriptors(void)
{
    struct limits l = read_limits();
    size_t others = (size_t)(job->size - armcii_node->size);
    size_t needed = l.descriptors_used + OWN_DESCRIPTORS + others;
    bool enough = l.descriptors_used == SIZE_MAX || needed <= l.descriptors;
    return enough ? 0 : (long)(needed - l.descriptors);
}

static long lacking_mappings(void)
{
    struct limits l = read_limits();
    if (l.mappings == SIZE_MAX || l.mappings_used == SIZE_MAX) return 0;
    size_t left = l.mappings > l.mappings_used ? l.mappings - l.mappings_used : 0;
    return left < SCARCE_MAPPINGS ? SCARCE_MAPPINGS - (long)left : 0;
}

/* The threads of the program for each processor, where they are more than one. OpenMP's variable
 * may be a list for nested regions: the first number counts. */
static long threads_on_a_processor(void)
{
    const char *value = armcii_config_variable("OMP_NUM_THREADS");
    long each = value ? strtol(value, NULL, 10) : 1;
    long processors = (long)armcii_node->cpus.processors;
    if (each < 2 || each > INT_MAX || each * armcii_node->size <= processors) return 0;
    return (each * armcii_node->size + processors - 1) / processors;
}

void limits_tell(void)
{
    enum { MEMORY, DESCRIPTORS, MAPPINGS, THREADS, LIMITS };
    const long here[LIMITS] = {[MEMORY] = lacking_memory(),
                               [DESCRIPTORS] = lacking_descriptors(),
                               [MAPPINGS] = lacking_mappings(),
                               [THREADS] = threads_on_a_processor()};
    long worst[LIMITS];
    char memory[32];
    MPI_Allreduce(here, worst, LIMITS, MPI_LONG, MPI_MAX, job->comm);
    if (job->rank != 0) return;
    if (worst[MEMORY])
        line_write(
            "fact\tmemory\t%s for the regions of a process: fewer ranks on a node, or more memory "
            "(srun --mem; of the container)",
            armcii_system_format_bytes((size_t)(SCARCE_MEMORY - worst[MEMORY]), memory,
                                       sizeof memory));
    if (worst[DESCRIPTORS])
        line_write("fact\tdescriptors\tMPI may need %ld more than the limit on open files allows: "
                   "a larger ulimit -n",
                   worst[DESCRIPTORS]);
    if (worst[MAPPINGS])
        line_write("fact\tmappings\tno more than %ld are left, and regions need them: a larger "
                   "vm.max_map_count (sysctl)",
                   SCARCE_MAPPINGS - worst[MAPPINGS]);
    if (worst[THREADS])
        line_write("fact\tOMP_NUM_THREADS\tup to %ld threads of the program share a processor: no "
                   "more than the processors for each rank",
                   worst[THREADS]);
}
