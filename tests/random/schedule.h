/* schedule.h - from random streams to streams that ARMCI gives one meaning. */
#ifndef RANDOM_SCHEDULE_H
#define RANDOM_SCHEDULE_H

#include "program.h"

/* Drop the units that are not to be kept, and what depends on them.  Returns how many operations are left. */
long schedule_filter(struct program *p, struct phase *ph);
/* Insert the waits without which an operation would meet one that is still under way; fill local memory where nobody knows what
 * it holds. */
void schedule_phase(struct program *p, struct phase *ph);
/* Does the operation move data; do its data have a place in the origin's memory? */
bool op_transfers(const struct op *op);
bool op_has_local(const struct op *op);
/* Does completing `wait` complete `op` at its origin?  Fences and barriers: remotely, puts and accumulates only. */
bool op_is_completed_by(const struct program *p, const struct op *op, const struct op *wait);

#endif
