/* backoff.c - how patiently this process waits. */
#include "base/backoff.h"

#include <sched.h>
#include <time.h>

long armcii_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

unsigned armcii_backoff_spin_limit = SPIN_LIMIT;
bool (*_Atomic armcii_progress_hook)(void) = armcii_progress_nothing;

bool armcii_progress_nothing(void)
{
    return false;
}

/* A thread that keeps yielding starves others, and itself: where the system shares processors between groups first (autogroups, control
 * groups), a yield gives nothing to another group, and on Linux 6.18 threads of a group that yields wait for hundreds of milliseconds.
 * The sleep lasts as long as the timer slack of the thread, 50 microseconds unless it was changed. */
void armcii_backoff_block(struct backoff *p)
{
    enum { YIELDS = 64 };
    if (p->yields++ < YIELDS)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
}

void armcii_progress_on_poll(void)
{
    enum { LOOKS = 32 };
    static unsigned looks;
    if (++looks % LOOKS == 0) armcii_progress_hook();
}
