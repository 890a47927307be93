/* lock.c - the slow steps of the global lock. */
#define _GNU_SOURCE
#include "base/lock.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- the global lock ----
 *
 * Every call of a program with threads takes it, except a direct put or get, and so does every call
 * of a program on several nodes. Contention is rare, so taking the lock costs one atomic operation
 * and releasing it a load and a store.
 *
 * A thread that finds the lock free takes it, even if others wait: most calls are shorter than a
 * hand-over. Waiting threads do not win that race against one that calls in a loop. So a thread
 * that has waited for STARVATION_US sets LOCK_STARVING. Then the owner hands the lock to the first
 * waiting thread: the lock is RESERVED, never free, until that thread has it. A thread that took
 * the lock after the flag was set hands it over at once.
 *
 * An owner tests the flags and releases the lock in two steps. A flag that is set between them is
 * seen by the next thread that enters; if none does, by the waiting thread, which
 * looks again after RECHECK_US. */

struct lock_state armcii_lock = {.exit_hook = armcii_lock_exit_nothing};

static const unsigned long RESERVED = ULONG_MAX; /* an owner that no thread is */

/* Microseconds. A sleep lasts for the timer slack longer, 50 by default. */
enum { STARVATION_US = 100, RECHECK_US = 200, SLACK_US = 50 };
enum { SPINNERS = 2, SPINS = 32 /* between two looks at the clock */ };

void armcii_lock_enable(bool threads)
{
    armcii_lock.enabled = threads;
}

void armcii_lock_exit_nothing(void)
{
}

static bool has_waiters(void)
{
    return atomic_load(&armcii_lock.tickets) != atomic_load(&armcii_lock.now_serving);
}

/* ---- sleep of a waiting thread ---- */

/* Threads whose tickets fall into one place wake together; those whose turn has not come sleep
 * again. */
enum { PLACES = 32 };
static struct place {
    _Alignas(64) atomic_uint wakeups; /* a futex */
    atomic_uint sleepers;
} places[PLACES];

static struct place *place_of(uint64_t ticket)
{
    return &places[ticket % PLACES];
}

static bool may_take(uint64_t ticket)
{
    unsigned long owner = atomic_load(&armcii_lock.owner);
    return atomic_load(&armcii_lock.now_serving) == ticket && (owner == 0 || owner == RESERVED);
}

static void sleep_in_line(uint64_t ticket, long microseconds)
{
    struct place *place = place_of(ticket);
    const struct timespec t = {.tv_nsec = microseconds * 1000};
    atomic_fetch_add(&place->sleepers,
                     1); /* before the test: who reserves the lock afterwards wakes this thread */
    unsigned seen = atomic_load(&place->wakeups);
    if (!may_take(ticket))
        syscall(SYS_futex, &place->wakeups, FUTEX_WAIT_PRIVATE, seen, &t, NULL, 0);
    atomic_fetch_sub(&place->sleepers, 1);
}

static void wake(uint64_t ticket)
{
    struct place *place = place_of(ticket);
    if (atomic_load(&place->sleepers) == 0) return;
    atomic_fetch_add(&place->wakeups, 1);
    syscall(SYS_futex, &place->wakeups, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* ---- the line ---- */

/* The first waiting thread gets the lock from the caller, which has it. */
static void hand_over(void)
{
    uint64_t first = atomic_load(&armcii_lock.now_serving);
    atomic_store(&armcii_lock.owner, RESERVED);
    wake(first);
}

static void release(void)
{
    if (has_waiters())
        hand_over();
    else
        atomic_store_explicit(&armcii_lock.owner, 0, memory_order_release);
}

/* All with earlier tickets have waited at least as long. */
static void set_starving(uint64_t ticket)
{
    uint64_t limit = atomic_load(&armcii_lock.starving);
    while (limit < ticket + 1 &&
           !atomic_compare_exchange_weak(&armcii_lock.starving, &limit, ticket + 1))
        continue;
    atomic_fetch_or(&armcii_lock.flags, LOCK_STARVING);
}

static bool take(uint64_t ticket)
{
    if (!may_take(ticket)) return false;
    if (armcii_lock_try_acquire()) return true;
    unsigned long expected = RESERVED; /* for this thread: it is the first */
    return atomic_compare_exchange_strong(&armcii_lock.owner, &expected, armcii_thread_number());
}

/* The caller, the first waiting thread, has taken the lock. */
static void leave_line(uint64_t ticket)
{
    atomic_store(&armcii_lock.now_serving, ticket + 1);
    if (!(atomic_load(&armcii_lock.flags) & LOCK_STARVING)) return;
    atomic_fetch_and(&armcii_lock.flags, ~(unsigned)LOCK_STARVING);
    if (ticket + 1 < atomic_load(&armcii_lock.starving))
        atomic_fetch_or(
            &armcii_lock.flags,
            LOCK_STARVING); /* so has the next one, which sets `starving` before the flag */
}

/* Only the first two in line spin: more would take processors from the owner. */
static bool spin_in_line(uint64_t ticket, struct backoff *p)
{
    return ticket - atomic_load(&armcii_lock.now_serving) < SPINNERS && armcii_backoff_spin(p);
}

/* Waiting threads never yield: the owner is a thread of the same process, which their yields would
 * starve. */
static void wait_in_line(void)
{
    struct backoff p = {0};
    uint64_t ticket = atomic_fetch_add(&armcii_lock.tickets, 1);
    long begun = armcii_clock();
    bool starving = false;
    while (!take(ticket)) {
        bool spun = spin_in_line(ticket, &p);
        if (spun && p.spins % SPINS != 0) continue;
        long left = begun + STARVATION_US - armcii_clock();
        if (!starving && left <= 0) {
            set_starving(ticket);
            starving = true;
        } else if (!spun) {
            sleep_in_line(ticket, starving ? RECHECK_US : left > SLACK_US ? left - SLACK_US : 1);
        }
    }
    leave_line(ticket);
}

static bool is_starving(void)
{
    return atomic_load(&armcii_lock.flags) & LOCK_STARVING;
}

void armcii_lock_handoff(void)
{
    if (!is_starving()) return;
    release();
    wait_in_line();
}

void armcii_lock_enter_slow(void)
{
    if (armcii_lock_is_mine())
        atomic_fetch_add_explicit(&armcii_lock.flags, LOCK_NESTED, memory_order_relaxed);
    else
        wait_in_line();
}

bool armcii_lock_try_enter(void)
{
    if (!armcii_lock.enabled) return false;
    if (armcii_lock_is_mine()) {
        armcii_lock_enter_slow();
        return true;
    }
    if (is_starving() || !armcii_lock_try_acquire()) return false;
    if (!is_starving()) return true;
    release();
    return false;
}

static unsigned nested_entries(void)
{
    return atomic_load_explicit(&armcii_lock.flags, memory_order_relaxed) % LOCK_WANTS_PROGRESS;
}

void armcii_lock_want_progress(void)
{
    atomic_fetch_or(&armcii_lock.flags, LOCK_WANTS_PROGRESS);
}

static void make_wanted_progress(void)
{
    if (!(atomic_load(&armcii_lock.flags) & LOCK_WANTS_PROGRESS)) return;
    atomic_fetch_and(&armcii_lock.flags, ~(unsigned)LOCK_WANTS_PROGRESS);
    armcii_lock.exit_hook();
}

void armcii_lock_exit_slow(void)
{
    if (nested_entries() > 0) {
        atomic_fetch_sub_explicit(&armcii_lock.flags, LOCK_NESTED, memory_order_relaxed);
        return;
    }
    make_wanted_progress();
    if (is_starving())
        release();
    else
        atomic_store_explicit(&armcii_lock.owner, 0, memory_order_release);
}

unsigned armcii_lock_suspend(void)
{
    if (!armcii_lock.enabled || !armcii_lock_is_mine()) return 0;
    unsigned nested = nested_entries();
    atomic_fetch_sub(&armcii_lock.flags, nested);
    armcii_lock.suspended++;
    release();
    return nested + 1;
}

void armcii_lock_resume(unsigned entries)
{
    if (entries == 0) return;
    if (has_waiters() || !armcii_lock_try_acquire())
        wait_in_line();
    else
        armcii_lock_handoff();
    armcii_lock.suspended--;
    atomic_fetch_add(&armcii_lock.flags, entries - 1);
}

void armcii_lock_yield(void)
{
    if (has_waiters()) armcii_lock_resume(armcii_lock_suspend());
}

/* Back off without the lock. */
__attribute__((noinline)) static void back_off(struct backoff *p)
{
    const unsigned entries = armcii_lock_suspend();
    armcii_backoff_yield(p);
    armcii_lock_resume(entries);
}

void armcii_lock_backoff(struct backoff *p)
{
    armcii_backoff.progress();
    back_off(p);
}

void armcii_lock_backoff_after(bool progress, struct backoff *p)
{
    if (progress) *p = (struct backoff){0};
    if (p->spins < armcii_backoff.spin_limit) { /* without a pause: progress takes longer */
        p->spins++;
        if (has_waiters()) armcii_lock_yield();
    } else {
        back_off(p);
    }
}
