/* yield_when_idle.c - preloaded into a test program: a poll of the network that finds nothing gives
 * the processor away, if TWO_HOSTS_YIELD is set. MPICH spins in its calls, also where the ranks
 * outnumber the processors, and a rank that could go on waits for the end of a time slice (4 ms);
 * Open MPI has an option for it, mpi_yield_when_idle. UCX polls its connections by epoll_wait. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/epoll.h>

static int (*next)(int, struct epoll_event *, int, int);
static int yields;

__attribute__((constructor)) static void begin(void)
{
    *(void **)&next = dlsym(RTLD_NEXT, "epoll_wait");
    yields = getenv("TWO_HOSTS_YIELD") != NULL;
}

int epoll_wait(int set, struct epoll_event *events, int most, int milliseconds)
{
    if (!next) begin(); /* called by another constructor */
    const int found = next(set, events, most, milliseconds);
    if (found == 0 && milliseconds == 0 && yields) sched_yield();
    return found;
}
