/* affinity.c - where the progress thread runs. */
#define _GNU_SOURCE
#include "progress/affinity.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static long with;         /* thread id */
static cpu_set_t allowed; /* to the progress thread, as to the one that makes it */
static bool possible, kept; /* possible: until the system refuses */

void armcii_affinity_init(void)
{
    with = syscall(SYS_gettid);
    possible = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
    kept = false;
}

/* The processor a thread of this process was on last, -1 if the system does not tell: the 39th word of its status, of which the second,
 * its name, ends with the last bracket. */
static int processor_of(long id)
{
    enum { SKIPPED = 36 };
    char path[64], text[1024];
    int processor = -1;
    snprintf(path, sizeof path, "/proc/self/task/%ld/stat", id);
    FILE *f = fopen(path, "r");
    if (!f) return -1;
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = 0;
    char *at = strrchr(text, ')');
    for (int i = 0; at && i <= SKIPPED; i++) at = strchr(at + 1, ' ');
    return at && sscanf(at, "%d", &processor) == 1 ? processor : -1;
}

void armcii_affinity_bind(void)
{
    cpu_set_t there;
    if (kept || !possible) return;
    int processor = processor_of(with);
    if (processor < 0 || processor >= CPU_SETSIZE || !CPU_ISSET((size_t)processor, &allowed)) return;
    CPU_ZERO(&there);
    CPU_SET((size_t)processor, &there);
    possible = kept = sched_setaffinity(0, sizeof there, &there) == 0;
}

void armcii_affinity_unbind(void)
{
    if (kept) sched_setaffinity(0, sizeof allowed, &allowed);
    kept = false;
}

/* Where to stay afterwards is the system's choice again. */
void armcii_affinity_migrate(void)
{
    armcii_affinity_unbind();
    armcii_affinity_bind();
    armcii_affinity_unbind();
}
