/* backoff.h - waiting for another process: spin for about as long as a hand-over takes, then give the processor away, since processes may
 * outnumber processors. */
#ifndef ARMCII_BACKOFF_H
#define ARMCII_BACKOFF_H

#include <stdatomic.h>
#include <stdbool.h>

/* Microseconds of a clock that only goes forward. */
long armcii_clock(void);

/* Spin, then yield the processor, then sleep. */
struct backoff {
    unsigned spins, yields;
};

/* Turns before the processor is given away: few where processes outnumber processors.  Set at start. */
extern unsigned armcii_backoff_spin_limit;
enum { SPIN_LIMIT = 4000, SPIN_LIMIT_OVERSUBSCRIBED = 50 };

/* What a process that waits long does for others meanwhile: it lets MPI make progress, and serves.  True when there was something to do. */
extern bool (*_Atomic armcii_progress_hook)(void);
bool armcii_progress_nothing(void);

/* After each look at a value that may be waited for: a program that looks again and again waits in fact, and who waits serves others.  Now
 * and then, since serving costs more than a look; under the global lock. */
void armcii_progress_on_poll(void);

static inline void armcii_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
}

/* One short turn of a waiting loop; false, at once, when it is time to give the processor away instead. */
static inline bool armcii_backoff_spin(struct backoff *p)
{
    if (p->spins >= armcii_backoff_spin_limit) return false;
    p->spins++;
    armcii_pause();
    return true;
}

/* Give the processor away: by a yield, in a long wait by a short sleep. */
void armcii_backoff_block(struct backoff *p);

/* One turn of a waiting loop; true when it is time to do something else as well, such as letting MPI make progress. */
static inline bool armcii_backoff_yield(struct backoff *p)
{
    if (armcii_backoff_spin(p)) return false;
    armcii_backoff_block(p);
    return true;
}

#endif
