/* look.h - a second look at remote memory, past the planner and its paths: what ARMCI_CHECK compares with.
 *
 * Where this process can load the bytes, by loads; else by contiguous gets, however the transfer went.  Others may change the bytes
 * meanwhile: a look is no snapshot. */
#ifndef ARMCII_LOOK_H
#define ARMCII_LOOK_H

#include "gmr/directory.h"
#include "shape/shape.h"

/* Read the remote side of s, in the slice `place` of process `target`, into `into` (s->bytes bytes), segments in order.  Nothing of this
 * process is pending there. */
void armcii_look(const struct place *place, int target, const struct shape *s, char *into);

#endif
