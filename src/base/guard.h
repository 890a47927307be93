/* guard.h - one lock for the whole library, taken at the door of the interface, and only where MPI allows several threads. */
#ifndef ARMCII_GUARD_H
#define ARMCII_GUARD_H

#include <stdbool.h>

/* Switch locking on or off; called at start, before other threads may call. */
void armcii_guard_enable(bool threads);

extern bool armcii_guard_enabled;
void armcii_guard_take(void);
void armcii_guard_leave(void);
/* Take the lock if it is on and no other thread has it. */
bool armcii_guard_try(void);
/* Is some thread in the library? */
bool armcii_guard_is_taken(void);
/* Inside the library: let other threads in, and other processes on this processor. */
void armcii_guard_pass(void);
/* One turn of waiting for others inside the library: serve those who wait for this process, and pass. */
void armcii_guard_wait_turn(void);
/* Names the calling thread, as long as it lives. */
const void *armcii_guard_thread(void);

/* Enter and leave; entering twice from one thread is allowed. */
static inline void armcii_guard_lock(void)
{
    if (armcii_guard_enabled) armcii_guard_take();
}

static inline void armcii_guard_unlock(void)
{
    if (armcii_guard_enabled) armcii_guard_leave();
}

/* Is locking on? */
static inline bool armcii_guard_is_enabled(void)
{
    return armcii_guard_enabled;
}

#endif
