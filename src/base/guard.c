/* guard.c - the library's one lock.
 *
 * It is taken at every call of a program with threads, and of every program that spans hosts, nearly always while nobody else wants it: so
 * taking it costs one atomic operation, and leaving it none, which a lock that puts waiting threads to sleep cannot have.  Who waits for it
 * waits as for anything else here: it spins, then gives its processor away. */
#include "base/guard.h"

#include <assert.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/wait.h"

static atomic_bool taken;
static _Atomic(void *) owner; /* the mark of the thread that has it */
static unsigned depth;        /* how often the owner entered once more */
bool armcii_guard_enabled;

/* Its address is the thread's name.  Found without a call: the lock is taken too often for one. */
static _Thread_local char mark __attribute__((tls_model("initial-exec")));

void armcii_guard_enable(bool threads)
{
    armcii_guard_enabled = threads;
}

static bool is_mine(void)
{
    return atomic_load_explicit(&owner, memory_order_relaxed) == &mark;
}

static bool take_free(void)
{
    if (atomic_exchange_explicit(&taken, true, memory_order_acquire)) return false;
    atomic_store_explicit(&owner, &mark, memory_order_relaxed);
    return true;
}

/* Apart from the way of a lock that is free, which then saves no registers. */
__attribute__((noinline)) static void wait_and_take(void)
{
    do {
        struct patience p = {0};
        while (atomic_load_explicit(&taken, memory_order_relaxed)) armcii_wait_turn(&p);
    } while (!take_free());
}

void armcii_guard_take(void)
{
    if (is_mine()) {
        depth++;
        return;
    }
    if (!take_free()) wait_and_take();
}

bool armcii_guard_try(void)
{
    if (!armcii_guard_enabled) return false;
    if (!is_mine()) return !atomic_load_explicit(&taken, memory_order_relaxed) && take_free();
    depth++;
    return true;
}

bool armcii_guard_is_taken(void)
{
    return atomic_load_explicit(&taken, memory_order_relaxed);
}

void armcii_guard_leave(void)
{
    assert(is_mine());
    if (depth > 0) {
        depth--;
        return;
    }
    atomic_store_explicit(&owner, NULL, memory_order_relaxed);
    atomic_store_explicit(&taken, false, memory_order_release);
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
    return &mark;
}
