/* seat.h - the processor that the library's thread is on: best that of its own process, whose time it may take.  On one where another
 * process computes or waits, the system may let it wait for most of a millisecond each time it wakes, since it shares processors out
 * between processes (sessions, control groups), not between threads. */
#ifndef ARMCII_SEAT_H
#define ARMCII_SEAT_H

/* The calling thread is the one that the library's thread should stay with. */
void armcii_seat_remember(void);
/* Called by the library's thread.  Stay on the processor where that thread is now; anywhere again. */
void armcii_seat_keep(void);
void armcii_seat_leave(void);
/* Go to where that thread is now; where to stay is the system's choice again. */
void armcii_seat_change(void);

#endif
