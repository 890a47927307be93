/* wait.c - how patiently this process waits. */
#include "base/wait.h"

#include <sched.h>
#include <time.h>

long armcii_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

unsigned armcii_wait_spins = WAIT_SPINS;
bool (*_Atomic armcii_wait_serve)(void) = armcii_wait_serve_nobody;

bool armcii_wait_serve_nobody(void)
{
    return false;
}

/* A thread that yields for long hurts others, and itself: where the system shares processors between groups first (autogroups, control
 * groups), yielding gives nothing to another group, and Linux 6.18 lets threads of a group that yields wait for hundreds of milliseconds.
 * The sleep lasts as long as the timer slack of the thread, 50 microseconds, unless it has another. */
void armcii_wait_yield(struct patience *p)
{
    enum { YIELDS = 64 };
    if (p->yields++ < YIELDS)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
}

void armcii_wait_serve_between_looks(void)
{
    enum { LOOKS = 32 };
    static unsigned looks;
    if (++looks % LOOKS == 0) armcii_wait_serve();
}
