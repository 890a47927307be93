/* affinity.c - the processors of the progress thread. */
#define _GNU_SOURCE
#include "progress/affinity.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
    long program_thread;
    cpu_set_t allowed;    /* processors of the progress thread */
    bool can_bind, bound; /* can_bind: until the kernel refuses */
    cpu_set_t others;     /* processors of the job that none of its processes uses */
    bool avoids;
} affinity;

/* Remove a processor and those that share its core: a list such as "0,64" or "0-1". */
static void remove_core(size_t cpu)
{
    char path[96], separator = ',';
    unsigned first, last = 0;
    CPU_CLR(cpu, &affinity.others);
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%zu/topology/thread_siblings_list",
             cpu);
    FILE *f = fopen(path, "r");
    if (!f) return;
    while (fscanf(f, "%u", &first) == 1) {
        for (unsigned i = separator == '-' ? last : first; i <= first && i < CPU_SETSIZE; i++)
            CPU_CLR(i, &affinity.others);
        last = first;
        if (fscanf(f, "%c", &separator) != 1) break;
    }
    fclose(f);
}

void armcii_affinity_avoid(const uint64_t *taken, const uint64_t *of_job, size_t words)
{
    CPU_ZERO(&affinity.others);
    for (size_t cpu = 0; cpu < CPU_SETSIZE && cpu / 64 < words; cpu++)
        if (of_job[cpu / 64] >> cpu % 64 & 1) CPU_SET(cpu, &affinity.others);
    for (size_t cpu = 0; cpu < CPU_SETSIZE && cpu / 64 < words; cpu++)
        if (taken[cpu / 64] >> cpu % 64 & 1) remove_core(cpu);
    affinity.avoids = true;
}

/* The kernel refuses where no processor of the set exists or is in the cpuset of this process. */
bool armcii_affinity_take_processor(void)
{
    bool taken = affinity.avoids && affinity.can_bind &&
                 sched_setaffinity(0, sizeof affinity.others, &affinity.others) == 0;
    if (taken) affinity.can_bind = false;
    affinity.avoids = false;
    return taken;
}

void armcii_affinity_return_processor(void)
{
    affinity.can_bind = sched_setaffinity(0, sizeof affinity.allowed, &affinity.allowed) == 0;
    affinity.bound = false;
}

void armcii_affinity_init(void)
{
    affinity.program_thread = syscall(SYS_gettid);
    affinity.can_bind = sched_getaffinity(0, sizeof affinity.allowed, &affinity.allowed) == 0;
    affinity.bound = false;
}

/* The last processor of a thread: field 39 of its stat file. Field 2 may contain spaces, and ends
 * with the last bracket.  -1: unknown. */
static int processor_of(long thread)
{
    enum { SPACES = 37 }; /* from field 2 to field 39 */
    char path[64], text[1024];
    int processor = -1;
    snprintf(path, sizeof path, "/proc/self/task/%ld/stat", thread);
    FILE *f = fopen(path, "r");
    if (!f) return -1;
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = 0;
    char *at = strrchr(text, ')');
    for (int i = 0; at && i < SPACES; i++)
        at = strchr(at + 1, ' ');
    return at && sscanf(at, "%d", &processor) == 1 ? processor : -1;
}

void armcii_affinity_bind(void)
{
    cpu_set_t set;
    if (affinity.bound || !affinity.can_bind) return;
    int processor = processor_of(affinity.program_thread);
    if (processor < 0 || processor >= CPU_SETSIZE ||
        !CPU_ISSET((size_t)processor, &affinity.allowed))
        return;
    CPU_ZERO(&set);
    CPU_SET((size_t)processor, &set);
    affinity.can_bind = affinity.bound = sched_setaffinity(0, sizeof set, &set) == 0;
}

void armcii_affinity_unbind(void)
{
    if (affinity.bound) sched_setaffinity(0, sizeof affinity.allowed, &affinity.allowed);
    affinity.bound = false;
}

void armcii_affinity_migrate(void)
{
    armcii_affinity_unbind();
    armcii_affinity_bind();
    armcii_affinity_unbind();
}
