/* step.h - count instructions by running them one by one, as a debugger does. */
#ifndef ARMCI_BENCH_STEP_H
#define ARMCI_BENCH_STEP_H

#include "site.h"

typedef void (*loop_function)(const struct site *site, long times);

/* Instructions that the calling thread runs outside the kernel in loop(site, times).  0: more than it is worth while to
 * wait for (a call that waits for others spins); -1: not possible here. */
long step_count(loop_function loop, const struct site *site, long times);

#endif
