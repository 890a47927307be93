/* affinity.h - the processors of the progress thread.
 *
 * It sleeps on the processor of the program's thread. On another processor, where
 * another process runs, it may wait for most of a millisecond after each wakeup: the kernel shares
 * processors between sessions and control groups first. Measured without the binding: the first
 * operation after a silence takes 9 times as long (doc/design.md). */
#ifndef ARMCII_AFFINITY_H
#define ARMCII_AFFINITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The next progress thread runs on processors that are not in the mask `taken`, where the system
 * allows any, and does not sleep for WAIT_POLL. */
void armcii_affinity_avoid(const uint64_t *taken, size_t words);
/* The calling thread is the program's. */
void armcii_affinity_init(void);
/* Called by the progress thread: take such a processor, if there is one; true if so. */
bool armcii_affinity_take_processor(void);
/* Called by the progress thread: bind it to the processor of the program's thread; allow all
 * processors again; move there, unbound. */
void armcii_affinity_bind(void);
void armcii_affinity_unbind(void);
void armcii_affinity_migrate(void);

#endif
