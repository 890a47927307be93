/* lock.c - the slow steps of a wait, and of the global lock. */
#include "base/lock.h"

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

/* Lasts for the timer slack of the thread, 50 microseconds by default. */
static void sleep_shortly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
}

/* Yields are limited because a thread that keeps yielding starves others and itself: the scheduler does not pass a yield to another group
 * (autogroups, control groups), and on Linux 6.18 the threads of the yielding group wait for hundreds of milliseconds. */
void armcii_backoff_block(struct backoff *p)
{
    enum { YIELDS = 64 };
    if (p->yields++ < YIELDS)
        sched_yield();
    else
        sleep_shortly();
}

void armcii_progress_on_poll(void)
{
    enum { POLLS = 32 };
    static unsigned polls;
    if (++polls % POLLS == 0) armcii_progress_hook();
}

/* ---- the global lock ----
 *
 * Every call of a program with threads takes it, and so does every call of a program on several nodes.  Contention is rare, so taking the
 * lock costs one atomic operation and releasing it none; a lock whose release wakes waiters costs more.  A thread that waits for another
 * process releases the lock and queues behind the waiting threads; without the queue the same thread would nearly always get it again. */

struct lock_state armcii_lock_state;
bool armcii_lock_enabled;
_Thread_local char armcii_lock_mark __attribute__((tls_model("initial-exec")));

void armcii_lock_enable(bool threads)
{
    armcii_lock_enabled = threads;
}

static bool is_taken(void)
{
    return atomic_load_explicit(&armcii_lock_state.taken, memory_order_relaxed);
}

static unsigned tickets_served(void)
{
    return atomic_load_explicit(&armcii_lock_state.served, memory_order_relaxed);
}

static void spin_or_sleep(struct backoff *p)
{
    if (!armcii_backoff_spin(p)) sleep_shortly();
}

/* A thread that finds the lock free takes it without a ticket.  Of the waiters, the one with the oldest ticket gets it next.  They never
 * yield: the owner is a thread of the same process, which their yields would starve. */
static void wait_with_ticket(void)
{
    struct backoff p = {0};
    unsigned ticket = atomic_fetch_add_explicit(&armcii_lock_state.tickets, 1, memory_order_relaxed);
    while (tickets_served() != ticket)
        spin_or_sleep(&p);
    p = (struct backoff){0};
    while (is_taken() || !armcii_lock_try_acquire())
        spin_or_sleep(&p);
    atomic_store_explicit(&armcii_lock_state.served, ticket + 1, memory_order_relaxed);
}

void armcii_lock_enter_slow(void)
{
    if (armcii_lock_is_mine())
        armcii_lock_state.depth++;
    else
        wait_with_ticket();
}

bool armcii_lock_try_enter(void)
{
    if (!armcii_lock_enabled) return false;
    if (!armcii_lock_is_mine()) return !is_taken() && armcii_lock_try_acquire();
    armcii_lock_state.depth++;
    return true;
}

unsigned armcii_lock_suspend(void)
{
    if (!armcii_lock_enabled || !armcii_lock_is_mine()) return 0;
    unsigned entries = armcii_lock_state.depth + 1;
    armcii_lock_state.depth = 0;
    armcii_lock_state.suspended++;
    armcii_lock_exit();
    return entries;
}

static bool has_waiters(void)
{
    return atomic_load_explicit(&armcii_lock_state.tickets, memory_order_relaxed) != tickets_served();
}

void armcii_lock_resume(unsigned entries)
{
    if (entries == 0) return;
    if (has_waiters() || !armcii_lock_try_acquire()) wait_with_ticket();
    armcii_lock_state.suspended--;
    armcii_lock_state.depth = entries - 1;
}

void armcii_lock_yield(void)
{
    if (has_waiters()) armcii_lock_resume(armcii_lock_suspend());
}

void armcii_lock_backoff(struct backoff *p)
{
    armcii_progress_hook();
    unsigned entries = armcii_lock_suspend();
    armcii_backoff_yield(p);
    armcii_lock_resume(entries);
}
