/* backoff.h - waiting for another process or thread: spin, then yield the processor, then sleep;
 * processes may outnumber processors. */
#ifndef ARMCII_BACKOFF_H
#define ARMCII_BACKOFF_H

#include <stdatomic.h>
#include <stdbool.h>

/* Microseconds and nanoseconds of a monotonic clock. */
long armcii_clock(void);
long armcii_clock_ns(void);

/* State of one wait; initialize to zero. */
struct backoff {
    unsigned spins, yields;
};

enum { SPIN_LIMIT = 4000, SPIN_LIMIT_OVERSUBSCRIBED = 50 };

struct backoff_policy {
    unsigned spin_limit;  /* spins before the first yield; few if processes outnumber
                             processors, or until the start has counted them */
    bool progress_needed; /* loops that poll memory or wait in MPI must make progress: other
                             processes depend on this one's calls */
    bool serves_unseen;   /* progress carries out operations of other processes and does not tell:
                             long waits go on with it, without a sleep, unless processes
                             outnumber processors or several threads of a process wait */
    bool (*_Atomic progress)(void); /* called by long waits: makes progress in MPI and serves
                                       requests; returns true if there was work */
};
extern struct backoff_policy armcii_backoff;
bool armcii_progress_nothing(void);

/* Called under the global lock by functions that a program may use to poll a value: every 32nd call
 * makes progress. */
void armcii_progress_on_poll(void);

static inline void armcii_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
}

/* One short spin; returns false, without a pause, once the spin limit is reached. */
static inline bool armcii_backoff_spin(struct backoff *p)
{
    if (p->spins >= armcii_backoff.spin_limit) return false;
    p->spins++;
    armcii_pause();
    return true;
}

/* Yields the processor or, in a long wait, sleeps shortly. */
void armcii_backoff_block(struct backoff *p);

/* One backoff step; returns true once the wait is long enough that the caller should make progress,
 * too. */
static inline bool armcii_backoff_yield(struct backoff *p)
{
    if (armcii_backoff_spin(p)) return false;
    armcii_backoff_block(p);
    return true;
}

#endif
