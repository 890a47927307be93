/* lock.h - the global lock, which the interface functions take where MPI allows several threads. */
#ifndef ARMCII_LOCK_H
#define ARMCII_LOCK_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/backoff.h"
#include "base/thread.h"

/* Switches locking on or off; called at start, before other threads may call. */
void armcii_lock_enable(bool threads);

/* Visible for the inline fast path; one cache line. A thread that finds the lock taken draws a
 * ticket; the waiting threads get the lock in that order. The first of them is the one whose
 * ticket equals `now_serving`. */
struct lock_state {
    _Alignas(64) atomic_ulong owner; /* armcii_thread_number of the owner; 0: free; RESERVED: for
                                        the first waiting thread */
    atomic_uint flags;  /* nested entries of the owner, and what another thread wants; not 0: the
                           slow paths */
    unsigned suspended; /* threads that released the lock inside a call; protected by the lock */
    _Atomic(uint64_t) tickets;     /* next ticket; 64 bits never come round */
    _Atomic(uint64_t) now_serving; /* tickets below this one have got the lock */
    _Atomic(uint64_t) starving;    /* tickets below this one have waited for long */
    bool enabled;
    void (*_Atomic exit_hook)(void); /* advances the operations of this process; called with the
                                        lock */
};
enum {
    LOCK_NESTED = 1,              /* unit of the nested entries */
    LOCK_STARVING = 1 << 30,      /* the first waiting thread gets the lock next */
    LOCK_WANTS_PROGRESS = 1 << 29 /* who releases the lock next calls exit_hook */
};
extern struct lock_state armcii_lock;

static inline bool armcii_lock_is_mine(void)
{
    return atomic_load_explicit(&armcii_lock.owner, memory_order_relaxed) == armcii_thread_number();
}

/* Takes the lock if it is free, even if others wait. */
static inline bool armcii_lock_try_acquire(void)
{
    unsigned long nobody = 0;
    return atomic_compare_exchange_strong(&armcii_lock.owner, &nobody, armcii_thread_number());
}

/* Enters again, or waits. */
void armcii_lock_enter_slow(void);
/* The caller has just taken the lock: hand it to a thread that has waited for long, and wait again.
 */
void armcii_lock_handoff(void);
/* Ends a nested entry, or does what another thread wants. */
void armcii_lock_exit_slow(void);
/* Takes the lock if locking is enabled, no other thread has it, and none has waited for long. */
bool armcii_lock_try_enter(void);

void armcii_lock_exit_nothing(void);
/* For a thread that cannot take the lock: who releases the lock next calls exit_hook. */
void armcii_lock_want_progress(void);

/* Releases all entries of the calling thread, before it waits for another process. The protected
 * state must be consistent and may change meanwhile. Returns the number of entries for
 * armcii_lock_resume; 0 if the caller does not have the lock: then resume does nothing. */
unsigned armcii_lock_suspend(void);
/* Takes the lock again with as many entries, behind all waiting threads. */
void armcii_lock_resume(unsigned entries);
/* Lets every waiting thread take the lock once; returns immediately if none waits. */
void armcii_lock_yield(void);
/* One backoff step inside a call: makes progress, then releases the lock while it backs off. */
void armcii_lock_backoff(struct backoff *p);
/* One backoff step of a caller that makes progress itself. After progress, begin anew; else spin
 * with the lock, then yield or sleep without it. Waiting threads come in each time, however much
 * progress there is: the caller may wait for one of them. */
void armcii_lock_backoff_after(bool progress, struct backoff *p);
/* True if no other thread is inside a call. The caller has the lock. */
static inline bool armcii_lock_is_alone(void)
{
    return armcii_lock.suspended == 0;
}

/* A thread may enter several times. */
static inline void armcii_lock_enter(void)
{
    if (!armcii_lock.enabled) return;
    if (!armcii_lock_try_acquire())
        armcii_lock_enter_slow();
    else if (atomic_load(&armcii_lock.flags) != 0)
        armcii_lock_handoff();
}

static inline void armcii_lock_exit(void)
{
    if (!armcii_lock.enabled) return;
    assert(armcii_lock_is_mine());
    if (atomic_load_explicit(&armcii_lock.flags, memory_order_relaxed) != 0)
        armcii_lock_exit_slow();
    else
        atomic_store_explicit(&armcii_lock.owner, 0, memory_order_release);
}

#endif
