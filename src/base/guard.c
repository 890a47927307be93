/* guard.c - the library's one lock.
 *
 * It is taken at every call of a program with threads, and of every program that spans hosts, nearly always while nobody else wants it: so
 * taking it costs one atomic operation, and leaving it none, which a lock that puts waiting threads to sleep cannot have.  Who waits for it
 * waits as for anything else here: it spins, then gives its processor away. */
#include "base/guard.h"

#include <sched.h>

#include "base/wait.h"

struct guard armcii_guard;
bool armcii_guard_enabled;
_Thread_local char armcii_guard_mark __attribute__((tls_model("initial-exec")));

void armcii_guard_enable(bool threads)
{
    armcii_guard_enabled = threads;
}

void armcii_guard_take_slowly(void)
{
    if (armcii_guard_is_mine()) {
        armcii_guard.depth++;
        return;
    }
    do {
        struct patience p = {0};
        while (atomic_load_explicit(&armcii_guard.taken, memory_order_relaxed)) armcii_wait_turn(&p);
    } while (!armcii_guard_take_free());
}

static bool is_taken(void)
{
    return atomic_load_explicit(&armcii_guard.taken, memory_order_relaxed);
}

bool armcii_guard_try(void)
{
    if (!armcii_guard_enabled) return false;
    if (!armcii_guard_is_mine()) return !is_taken() && armcii_guard_take_free();
    armcii_guard.depth++;
    return true;
}

void armcii_guard_pass(void)
{
    armcii_guard_unlock();
    sched_yield();
    armcii_guard_lock();
}

void armcii_guard_wait_turn(void)
{
    armcii_wait_serve();
    armcii_guard_pass();
}

const void *armcii_guard_thread(void)
{
    return &armcii_guard_mark;
}
