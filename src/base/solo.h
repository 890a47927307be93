/* solo.h - sections that one thread runs without the global lock until another thread of the
 * program enters the library.
 *
 * The thread pays no atomic instruction: the first other thread orders its memory by membarrier(2),
 * once; from then on the sections are closed. The library's own threads do not count. */
#ifndef ARMCII_SOLO_H
#define ARMCII_SOLO_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/lock.h"

/* The calling thread may begin sections, where the kernel has what end needs, and unless
 * armcii_solo_end was ever called. */
void armcii_solo_start(void);
/* No thread may, until the next start. Requires that none is in a section. */
void armcii_solo_stop(void);
/* No thread may any more; returns when the thread is in no section. Requires the global lock. */
void armcii_solo_end(void);

/* Begins a section, which must not wait for another thread; false: take the lock. */
static inline bool armcii_solo_enter(void)
{
    const void *me = armcii_lock_thread_id();
    if (atomic_load_explicit(&armcii_lock.solo.thread, memory_order_relaxed) != me) return false;
    atomic_store_explicit(&armcii_lock.solo.inside, true, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst); /* the membarrier makes it a fence */
    if (atomic_load_explicit(&armcii_lock.solo.thread, memory_order_relaxed) == me) return true;
    atomic_store_explicit(&armcii_lock.solo.inside, false, memory_order_relaxed);
    return false;
}

static inline void armcii_solo_exit(void)
{
    atomic_store_explicit(&armcii_lock.solo.inside, false, memory_order_release);
}

/* In every entry of a thread of the program, behind taking the global lock. */
static inline void armcii_solo_check(void)
{
    const void *thread = atomic_load_explicit(&armcii_lock.solo.thread, memory_order_relaxed);
    if (thread && thread != &armcii_lock_mark) armcii_solo_end();
}

#endif
