/* timeslice.h - how long the kernel lets the calling thread run while others want its processor. */
#ifndef ARMCII_TIMESLICE_H
#define ARMCII_TIMESLICE_H

#include <stdint.h>

/* The shortest that Linux has, in nanoseconds. */
enum { TIMESLICE_SHORT = 100000 };

/* A thread with a shorter slice than the running one runs as soon as it wakes, on Linux 6.12 and
 * later; else it may wait for the end of that slice, 3 ms by default. Returns the slice until now;
 * 0, which may be set again and changes nothing, where the kernel has no such slices or the thread
 * another scheduling policy. */
uint64_t armcii_timeslice_set(uint64_t nanoseconds);

#endif
