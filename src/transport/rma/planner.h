/* planner.h - which path carries a transfer out: decided here and nowhere else. */
#ifndef ARMCII_PLANNER_H
#define ARMCII_PLANNER_H

#include "transport/path.h"

/* The path for t; sets t->typing, t->batch and t->calls for it.  Configuration forces a method, the quirk table forbids some, the shape's
 * own overlaps ask for order. */
const struct path *armcii_plan(struct located *t);

#endif
