/* shared.h - areas into which everyone accumulates.  Each process adds multiples of its own unit, few enough that the sums of all
 * are the digits of one number: so a get tells how much of whose accumulates has arrived. */
#ifndef RANDOM_SHARED_H
#define RANDOM_SHARED_H

#include "program.h"

/* Add to counts[part] what the accumulate adds to each part, in its origin's units, all at once.  false, with nothing added:
 * that would be more than the budget. */
bool shared_add(const struct program *p, const struct area *a, const struct transfer *t, unsigned char counts[]);
/* Forget what was counted in the phase, and count the accumulates that are left. */
void shared_recount(struct program *p, struct phase *ph);
/* Is `seen` at this part what an origin may see that has added all of a->done?  If not, *least is the smallest number it may see
 * and *rank the process whose digit is wrong. */
bool shared_may_be(const struct program *p, const struct area *a, long part, long seen, long *least, int *rank);

#endif
