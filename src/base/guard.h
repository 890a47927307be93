/* guard.h - one lock for the whole library, taken at the door of the interface, and only where MPI allows several threads. */
#ifndef ARMCII_GUARD_H
#define ARMCII_GUARD_H

#include <stdbool.h>

/* Switch locking on or off; called at start, before other threads may call. */
void armcii_guard_enable(bool threads);

/* Enter and leave; entering twice from one thread is allowed. */
void armcii_guard_lock(void);
void armcii_guard_unlock(void);

/* Is locking on? */
bool armcii_guard_is_enabled(void);

#endif
