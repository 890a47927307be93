/* clock.h - the time of tests and of the doctor. */
#ifndef TOOLS_LIB_CLOCK_H
#define TOOLS_LIB_CLOCK_H

#include <time.h>

static inline double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds that never go back. */
static inline double now(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

/* Seconds that the caller's thread has had a processor, however busy the machine is. */
static inline double own_time(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

#endif
