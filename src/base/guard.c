/* guard.c - the library's one lock.
 *
 * It is taken at every call of a program with threads, and of every program that spans hosts, nearly always while nobody else wants it: so
 * taking it costs one atomic operation, and leaving it none, which a lock that puts waiting threads to sleep cannot have.  Who waits for it
 * waits as for anything else here: it spins, then gives its processor away.  Who holds it and waits for another process passes it on: to
 * the threads that stand in line, and then lines up behind them, since a lock that is only let go and taken again would come back to it. */
#include "base/guard.h"

struct guard armcii_guard;
bool armcii_guard_enabled;
_Thread_local char armcii_guard_mark __attribute__((tls_model("initial-exec")));

void armcii_guard_enable(bool threads)
{
    armcii_guard_enabled = threads;
}

static bool is_taken(void)
{
    return atomic_load_explicit(&armcii_guard.taken, memory_order_relaxed);
}

static unsigned served(void)
{
    return atomic_load_explicit(&armcii_guard.served, memory_order_relaxed);
}

/* A thread that finds the lock free takes it and draws no ticket; of those that wait the first in line gets it next. */
static void wait_in_line(void)
{
    struct patience p = {0};
    unsigned ticket = atomic_fetch_add_explicit(&armcii_guard.tickets, 1, memory_order_relaxed);
    while (served() != ticket || is_taken() || !armcii_guard_take_free())
        armcii_wait_turn(&p);
    atomic_store_explicit(&armcii_guard.served, ticket + 1, memory_order_relaxed);
}

void armcii_guard_take_slowly(void)
{
    if (armcii_guard_is_mine())
        armcii_guard.depth++;
    else
        wait_in_line();
}

bool armcii_guard_try(void)
{
    if (!armcii_guard_enabled) return false;
    if (!armcii_guard_is_mine()) return !is_taken() && armcii_guard_take_free();
    armcii_guard.depth++;
    return true;
}

unsigned armcii_guard_release(void)
{
    if (!armcii_guard_enabled || !armcii_guard_is_mine()) return 0;
    unsigned entries = armcii_guard.depth + 1;
    armcii_guard.depth = 0;
    armcii_guard.away++;
    armcii_guard_unlock();
    return entries;
}

static bool does_anybody_wait(void)
{
    return atomic_load_explicit(&armcii_guard.tickets, memory_order_relaxed) != served();
}

void armcii_guard_retake(unsigned entries)
{
    if (entries == 0) return;
    if (does_anybody_wait() || !armcii_guard_take_free()) wait_in_line();
    armcii_guard.away--;
    armcii_guard.depth = entries - 1;
}

void armcii_guard_pass(void)
{
    if (does_anybody_wait()) armcii_guard_retake(armcii_guard_release());
}

void armcii_guard_wait_turn(struct patience *p)
{
    armcii_wait_serve();
    unsigned entries = armcii_guard_release();
    armcii_wait_turn(p);
    armcii_guard_retake(entries);
}

const void *armcii_guard_thread(void)
{
    return &armcii_guard_mark;
}
