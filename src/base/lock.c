/* lock.c - the global lock.
 *
 * It is taken at every call of a program with threads, and of every program that spans nodes, nearly always while nobody else wants it: so
 * taking it costs one atomic operation, and leaving it none, which a lock that puts waiting threads to sleep cannot have.  Who waits for it
 * waits as for anything else here: it spins, then gives its processor away.  Who holds it and waits for another process passes it on: to
 * the threads that stand in line, and then lines up behind them, since a lock that is only let go and taken again would come back to it. */
#include "base/lock.h"

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

static unsigned served(void)
{
    return atomic_load_explicit(&armcii_lock_state.served, memory_order_relaxed);
}

/* A thread that finds the lock free takes it and draws no ticket; of those that wait the first in line gets it next. */
static void wait_in_line(void)
{
    struct backoff p = {0};
    unsigned ticket = atomic_fetch_add_explicit(&armcii_lock_state.tickets, 1, memory_order_relaxed);
    while (served() != ticket || is_taken() || !armcii_lock_try_acquire())
        armcii_backoff_yield(&p);
    atomic_store_explicit(&armcii_lock_state.served, ticket + 1, memory_order_relaxed);
}

void armcii_lock_enter_slowly(void)
{
    if (armcii_lock_is_mine())
        armcii_lock_state.depth++;
    else
        wait_in_line();
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
    armcii_lock_state.away++;
    armcii_lock_exit();
    return entries;
}

static bool does_anybody_wait(void)
{
    return atomic_load_explicit(&armcii_lock_state.tickets, memory_order_relaxed) != served();
}

void armcii_lock_resume(unsigned entries)
{
    if (entries == 0) return;
    if (does_anybody_wait() || !armcii_lock_try_acquire()) wait_in_line();
    armcii_lock_state.away--;
    armcii_lock_state.depth = entries - 1;
}

void armcii_lock_yield(void)
{
    if (does_anybody_wait()) armcii_lock_resume(armcii_lock_suspend());
}

void armcii_lock_wait_turn(struct backoff *p)
{
    armcii_progress_hook();
    unsigned entries = armcii_lock_suspend();
    armcii_backoff_yield(p);
    armcii_lock_resume(entries);
}

const void *armcii_lock_thread_id(void)
{
    return &armcii_lock_mark;
}
