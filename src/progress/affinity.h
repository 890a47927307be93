/* affinity.h - the processor that the progress thread is on: best that of its own process, whose time it may take.  On one where another
 * process computes or waits, the system may let it wait for most of a millisecond each time it wakes, since it shares processors out
 * between processes (sessions, control groups), not between threads. */
#ifndef ARMCII_AFFINITY_H
#define ARMCII_AFFINITY_H

/* The calling thread is the one that the progress thread should stay with. */
void armcii_affinity_init(void);
/* Called by the progress thread.  Stay on the processor where that thread is now; anywhere again. */
void armcii_affinity_bind(void);
void armcii_affinity_unbind(void);
/* Go to where that thread is now; where to stay is the system's choice again. */
void armcii_affinity_migrate(void);

#endif
