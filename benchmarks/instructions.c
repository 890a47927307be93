/* instructions.c - instructions of a call, counted by the processor where the kernel lets us, else by steps of a
 * debugger.  The difference of a long and a short loop leaves out all that does not belong to the calls. */
#include "instructions.h"

#include "step.h"

#include <armci.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void put(const struct site *site, long times)
{
    char *local = site->local, *remote = site->remote;
    int target = site->target;
    for (long i = 0; i < times; i++)
        ARMCI_Put(local, remote, 8, target);
}

static void get(const struct site *site, long times)
{
    char *local = site->local, *remote = site->remote;
    int target = site->target;
    for (long i = 0; i < times; i++)
        ARMCI_Get(remote, local, 8, target);
}

static void acc(const struct site *site, long times)
{
    char *local = site->local, *remote = site->remote;
    int target = site->target;
    double one = 1;
    for (long i = 0; i < times; i++)
        ARMCI_Acc(ARMCI_ACC_DBL, &one, local, remote, 8, target);
}

static void rmw(const struct site *site, long times)
{
    char *remote = site->remote;
    int target = site->target;
    long old;
    for (long i = 0; i < times; i++)
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, remote, 1, target);
}

void bench_probe(const struct site *site)
{
    put(site, PROBE_CALLS);
}

static const struct {
    const char *name;
    loop_function loop;
} loops[INSTRUCTIONS_ROWS] = {{"put 8 B", put}, {"get 8 B", get}, {"acc 8 B", acc}, {"rmw fetch-and-add long", rmw}};

/* A counter of this thread's instructions outside the kernel; negative: the kernel refuses. */
static int open_counter(void)
{
    struct perf_event_attr wanted = {
        .type = PERF_TYPE_HARDWARE, .size = sizeof wanted, .config = PERF_COUNT_HW_INSTRUCTIONS, .exclude_kernel = 1, .exclude_hv = 1};
    return (int)syscall(SYS_perf_event_open, &wanted, 0, -1, -1, 0UL);
}

/* Instructions of the loop, -1 where the counter cannot be read. */
static double counted(int counter, loop_function loop, const struct site *site, long times)
{
    uint64_t before, after;
    if (read(counter, &before, sizeof before) != (ssize_t)sizeof before) return -1;
    loop(site, times);
    if (read(counter, &after, sizeof after) != (ssize_t)sizeof after) return -1;
    return (double)(after - before);
}

static void count_by_processor(int counter, const struct site *site, struct instructions *counts)
{
    const long few = 10, many = 1010;
    counts->method = "the processor (perf_event)";
    for (int i = 0; i < INSTRUCTIONS_ROWS; i++) {
        loops[i].loop(site, many);
        double short_loop = counted(counter, loops[i].loop, site, few);
        double long_loop = counted(counter, loops[i].loop, site, many);
        if (short_loop >= 0 && long_loop > short_loop) counts->of[i].per_call = (long_loop - short_loop) / (double)(many - few);
    }
}

static void count_by_steps(const struct site *site, struct instructions *counts)
{
    const long few = 1, many = 11;
    counts->method = "single steps, since perf_event is not available";
    for (int i = 0; i < INSTRUCTIONS_ROWS; i++) {
        loops[i].loop(site, many);
        long short_loop = step_count(loops[i].loop, site, few);
        long long_loop = step_count(loops[i].loop, site, many);
        if (short_loop < 0 || long_loop < 0) counts->method = "nothing: neither perf_event nor ptrace is available";
        if (short_loop > 0 && long_loop > short_loop) counts->of[i].per_call = (double)(long_loop - short_loop) / (double)(many - few);
    }
}

void instructions_count(const struct site *site, struct instructions *counts)
{
    *counts = (struct instructions){.count = INSTRUCTIONS_ROWS};
    for (int i = 0; i < INSTRUCTIONS_ROWS; i++)
        counts->of[i].name = loops[i].name;
    /* The accumulates and the rmw need numbers there. */
    memset(site->local, 0, sizeof(double));
    site_access_begin(site);
    memset(site->slice, 0, sizeof(double));
    site_access_end(site);
    site_barrier();
    if (site->me == 0) {
        int counter = open_counter();
        if (counter >= 0) {
            count_by_processor(counter, site, counts);
            close(counter);
        } else {
            count_by_steps(site, counts);
        }
    }
    ARMCI_AllFence();
    site_barrier();
}
