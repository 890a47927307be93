/* step.c - a child process attaches to its parent and has it run one instruction at a time.  Both see a page of shared
 * memory in which the parent notes where it is. */
#include "step.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TOO_MANY = 300000 }; /* steps: about a second */

enum parent_state { BEFORE, INSIDE, AFTER };
enum child_state { WAITING, ALLOWED, ATTACHED, REFUSED };

struct page {
    atomic_int parent, child;
    atomic_long steps;
};

/* Let the parent, which is stopped, run an instruction; hand on a signal that stopped it.  False when it is gone. */
static bool step(pid_t parent, int *signal_number)
{
    int status;
    if (ptrace(PTRACE_SINGLESTEP, parent, 0L, (long)*signal_number) != 0) return false;
    if (waitpid(parent, &status, __WALL) != parent || !WIFSTOPPED(status)) return false;
    *signal_number = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
    return true;
}

/* The child: attach, count until the parent has left the loop, let go. */
static void count_steps(pid_t parent, struct page *page)
{
    int status, signal_number = 0;
    long steps = 0;

    while (atomic_load(&page->child) == WAITING)
        sched_yield();
    if (ptrace(PTRACE_SEIZE, parent, 0L, 0L) != 0 || ptrace(PTRACE_INTERRUPT, parent, 0L, 0L) != 0 ||
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

/* The parent: wait for the child to be there, run the loop, wait for the child to end. */
static long run_stepped(pid_t child, struct page *page, loop_function loop, const struct site *site, long times)
{
    /* Where only descendants may be traced, the child needs to be named; elsewhere this fails and is not needed. */
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

long step_count(loop_function loop, const struct site *site, long times)
{
    struct page *page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
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
