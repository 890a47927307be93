/* clock.h - the time of tests and of the doctor. */
#ifndef TOOLS_LIB_CLOCK_H
#define TOOLS_LIB_CLOCK_H

#include <time.h>

/* Seconds that never go back. */
static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
