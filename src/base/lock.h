/* lock.h - one lock for the whole library, taken at the door of the interface, and only where MPI allows several threads. */
#ifndef ARMCII_LOCK_H
#define ARMCII_LOCK_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/backoff.h"

/* Switch locking on or off; called at start, before other threads may call. */
void armcii_lock_enable(bool threads);

extern bool armcii_lock_enabled;

/* The lock itself, for the short way of one that is free.  Threads that wait for it draw a ticket each and get it in that order. */
struct lock_state {
    atomic_bool taken;
    _Atomic(void *) owner; /* the mark of the thread that has it */
    unsigned depth;        /* how often the owner entered once more */
    unsigned away;         /* threads that released it in the middle of a call; under the lock */
    atomic_uint tickets;   /* drawn */
    atomic_uint served;    /* tickets below this one have had the lock */
};
extern struct lock_state armcii_lock_state;
/* Its address is the thread's name.  Found without a call: the lock is taken too often for one. */
extern _Thread_local char armcii_lock_mark __attribute__((tls_model("initial-exec")));

static inline bool armcii_lock_is_mine(void)
{
    return atomic_load_explicit(&armcii_lock_state.owner, memory_order_relaxed) == &armcii_lock_mark;
}

/* Take the lock, which the caller does not have, if it is free. */
static inline bool armcii_lock_try_acquire(void)
{
    if (atomic_exchange_explicit(&armcii_lock_state.taken, true, memory_order_acquire)) return false;
    atomic_store_explicit(&armcii_lock_state.owner, &armcii_lock_mark, memory_order_relaxed);
    return true;
}

/* Enter once more, or wait. */
void armcii_lock_enter_slowly(void);
/* Take the lock if it is on and no other thread has it. */
bool armcii_lock_try_enter(void);

/* In the middle of a call, before a wait for another process: leave wholly, however often the thread has entered.  What the lock protects
 * must be in order, and may be different afterwards.  Returns what armcii_lock_resume needs; nothing happens, there too, where the caller
 * does not have the lock. */
unsigned armcii_lock_suspend(void);
/* Enter again as before, behind all threads that wait by now. */
void armcii_lock_resume(unsigned entries);
/* Let each thread that waits for the lock have it once; returns at once where none does. */
void armcii_lock_yield(void);
/* One turn of waiting for others inside the library: serve those who wait for this process, let other threads in, and other processes on
 * this processor. */
void armcii_lock_wait_turn(struct backoff *p);
/* Under the lock: no other thread is in the middle of a call. */
static inline bool armcii_lock_is_alone(void)
{
    return armcii_lock_state.away == 0;
}
/* Names the calling thread, as long as it lives. */
const void *armcii_lock_thread_id(void);

/* Enter and leave; entering twice from one thread is allowed. */
static inline void armcii_lock_enter(void)
{
    if (!armcii_lock_enabled) return;
    if (armcii_lock_is_mine() || !armcii_lock_try_acquire()) armcii_lock_enter_slowly();
}

static inline void armcii_lock_exit(void)
{
    if (!armcii_lock_enabled) return;
    assert(armcii_lock_is_mine());
    if (armcii_lock_state.depth > 0) {
        armcii_lock_state.depth--;
        return;
    }
    atomic_store_explicit(&armcii_lock_state.owner, NULL, memory_order_relaxed);
    atomic_store_explicit(&armcii_lock_state.taken, false, memory_order_release);
}

/* Is locking on? */
static inline bool armcii_lock_is_enabled(void)
{
    return armcii_lock_enabled;
}

#endif
