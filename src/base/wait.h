/* wait.h - waiting for another process: spin for about as long as a hand-over takes, then give the processor away, since processes may
 * outnumber processors. */
#ifndef ARMCII_WAIT_H
#define ARMCII_WAIT_H

#include <stdatomic.h>
#include <stdbool.h>

/* Microseconds of a clock that only goes forward. */
long armcii_clock(void);

/* Backoff: spin, then yield the processor, then sleep. */
struct patience {
    unsigned turns, yields;
};

/* Turns before the processor is given away: few where processes outnumber processors.  Set at start. */
extern unsigned armcii_wait_spins;
enum { WAIT_SPINS = 4000, WAIT_SPINS_CROWDED = 50 };

/* What a process that waits long does for others meanwhile: it lets MPI make progress, and serves.  True when there was something to do. */
extern bool (*_Atomic armcii_wait_serve)(void);
bool armcii_wait_serve_nobody(void);

/* After each look at a value that may be waited for: a program that looks again and again waits in fact, and who waits serves others.  Now
 * and then, since serving costs more than a look; under the library's lock. */
void armcii_wait_serve_between_looks(void);

static inline void armcii_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
}

/* One short turn of a waiting loop; false, at once, when it is time to give the processor away instead. */
static inline bool armcii_wait_spin(struct patience *p)
{
    if (p->turns >= armcii_wait_spins) return false;
    p->turns++;
    armcii_pause();
    return true;
}

/* Give the processor away: by a yield, in a long wait by a short sleep. */
void armcii_wait_yield(struct patience *p);

/* One turn of a waiting loop; true when it is time to do something else as well, such as letting MPI make progress. */
static inline bool armcii_wait_turn(struct patience *p)
{
    if (armcii_wait_spin(p)) return false;
    armcii_wait_yield(p);
    return true;
}

#endif
