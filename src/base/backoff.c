/* backoff.c - the slow steps of a wait. */
#include "base/backoff.h"

#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "base/thread.h"

long armcii_clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000 + t.tv_nsec;
}

long armcii_clock(void)
{
    return armcii_clock_ns() / 1000;
}

struct backoff_policy armcii_backoff = {.spin_limit = SPIN_LIMIT_OVERSUBSCRIBED,
                                        .progress = armcii_progress_nothing};

bool armcii_progress_nothing(void)
{
    return false;
}

/* Lasts for the timer slack of the thread, 50 microseconds by default. */
static void sleep_shortly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
}

/* True if the last thread of the process that blocked was another one: several wait, and need the
 * processors for the progress of each. */
static bool others_wait(void)
{
    static atomic_ulong last;
    const unsigned long self = armcii_thread_number();
    const unsigned long before = atomic_exchange_explicit(&last, self, memory_order_relaxed);
    return before && before != self;
}

/* Once another thread has blocked, the rest of the wait is an ordinary one. */
static bool must_stay_awake(const struct backoff *p)
{
    return armcii_backoff.serves_unseen && armcii_backoff.spin_limit == SPIN_LIMIT &&
           p->yields == 0 && !others_wait();
}

/* Yields are limited because a thread that keeps yielding starves others and itself: the scheduler
 * does not pass a yield to another group (autogroups, control groups), and on Linux 6.18 the
 * threads of the yielding group wait for hundreds of milliseconds. */
void armcii_backoff_block(struct backoff *p)
{
    enum { YIELDS = 64 };
    if (must_stay_awake(p)) return;
    if (p->yields++ < YIELDS)
        sched_yield();
    else
        sleep_shortly();
}

void armcii_progress_on_poll(void)
{
    enum { POLLS = 32 };
    static unsigned polls;
    if (++polls % POLLS == 0) armcii_backoff.progress();
}
