/* instructions.c - instructions of a call, counted by perf_event if the kernel permits, else by
 * single steps under ptrace. The difference of a long and a short loop excludes everything outside
 * the calls. */
#include "instructions.h"

#include <armci.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void (*loop_function)(const struct site *site, long times);

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
} loops[INSTRUCTIONS_ROWS] = {
    {"put 8 B", put}, {"get 8 B", get}, {"acc 8 B", acc}, {"rmw fetch-and-add long", rmw}};

/* Open a counter of this thread's instructions in user space; negative: the kernel refuses. */
static int open_counter(void)
{
    struct perf_event_attr wanted = {.type = PERF_TYPE_HARDWARE,
                                     .size = sizeof wanted,
                                     .config = PERF_COUNT_HW_INSTRUCTIONS,
                                     .exclude_kernel = 1,
                                     .exclude_hv = 1};
    return (int)syscall(SYS_perf_event_open, &wanted, 0, -1, -1, 0UL);
}

/* Instructions of the loop, -1 if the counter cannot be read. */
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
        if (short_loop >= 0 && long_loop > short_loop)
            counts->of[i].per_call = (long_loop - short_loop) / (double)(many - few);
    }
}

enum { TOO_MANY = 300000 }; /* steps: about a second */

enum parent_state { BEFORE, INSIDE, AFTER };
enum child_state { WAITING, ALLOWED, ATTACHED, REFUSED };

struct page {
    atomic_int parent, child;
    atomic_long steps;
};

/* Single-step the stopped parent; deliver the signal that stopped it. False if the parent is gone.
 */
static bool step(pid_t parent, int *signal_number)
{
    int status;
    if (ptrace(PTRACE_SINGLESTEP, parent, 0L, (long)*signal_number) != 0) return false;
    if (waitpid(parent, &status, __WALL) != parent || !WIFSTOPPED(status)) return false;
    *signal_number = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
    return true;
}

/* The child: attach, count until the parent has left the loop, detach. */
static void count_steps(pid_t parent, struct page *page)
{
    int status, signal_number = 0;
    long steps = 0;

    while (atomic_load(&page->child) == WAITING)
        sched_yield();
    if (ptrace(PTRACE_SEIZE, parent, 0L, 0L) != 0 ||
        ptrace(PTRACE_INTERRUPT, parent, 0L, 0L) != 0 ||
        waitpid(parent, &status, __WALL) != parent) {
        atomic_store(&page->child, REFUSED);
        return;
    }
    atomic_store(&page->child, ATTACHED);
    while (steps < TOO_MANY && atomic_load(&page->parent) != AFTER && step(parent, &signal_number))
        steps += atomic_load(&page->parent) == INSIDE;
    atomic_store(&page->steps, steps < TOO_MANY ? steps : 0);
    ptrace(PTRACE_DETACH, parent, 0L, (long)signal_number);
}

/* The parent: wait until the child is attached, run the loop, wait for the child to exit. */
static long run_stepped(pid_t child, struct page *page, loop_function loop, const struct site *site,
                        long times)
{
    /* Permit the child to trace its parent (Yama); elsewhere this fails and is not needed. */
    prctl(PR_SET_PTRACER, (unsigned long)child, 0UL, 0UL, 0UL);
    atomic_store(&page->child, ALLOWED);
    while (atomic_load(&page->child) == ALLOWED)
        sched_yield();
    if (atomic_load(&page->child) == ATTACHED) {
        atomic_store(&page->parent, INSIDE);
        loop(site, times);
        atomic_store(&page->parent, AFTER);
    }
    waitpid(child, NULL, 0);
    return atomic_load(&page->child) == ATTACHED ? atomic_load(&page->steps) : -1;
}

/* Instructions that the calling thread executes in user space in loop(site, times). 0: too many to
 * step through (a call that waits for others spins); -1: not possible. */
static long count_by_ptrace(loop_function loop, const struct site *site, long times)
{
    struct page *page =
        mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t parent = getpid();
    long steps = -1;

    if (page == MAP_FAILED) return -1;
    pid_t child = fork();
    if (child == 0) {
        count_steps(parent, page);
        _exit(0);
    }
    if (child > 0) steps = run_stepped(child, page, loop, site, times);
    munmap(page, sizeof *page);
    return steps;
}

static void count_by_steps(const struct site *site, struct instructions *counts)
{
    const long few = 1, many = 11;
    counts->method = "single steps, since perf_event is not available";
    for (int i = 0; i < INSTRUCTIONS_ROWS; i++) {
        loops[i].loop(site, many);
        long short_loop = count_by_ptrace(loops[i].loop, site, few);
        long long_loop = count_by_ptrace(loops[i].loop, site, many);
        if (short_loop < 0 || long_loop < 0)
            counts->method = "nothing: neither perf_event nor ptrace is available";
        if (short_loop > 0 && long_loop > short_loop)
            counts->of[i].per_call = (double)(long_loop - short_loop) / (double)(many - few);
    }
}

void instructions_count(const struct site *site, struct instructions *counts)
{
    *counts = (struct instructions){.count = INSTRUCTIONS_ROWS};
    for (int i = 0; i < INSTRUCTIONS_ROWS; i++)
        counts->of[i].name = loops[i].name;
    /* Accumulate and rmw need numbers there. */
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
