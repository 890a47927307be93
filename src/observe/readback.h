/* readback.h - a second look at remote memory, past the planner and its paths: what ARMCI_VERIFY compares with.
 *
 * Where this process can load the bytes, by loads; else by contiguous gets, however the transfer went.  Others may change the bytes
 * meanwhile: a look is no snapshot. */
#ifndef ARMCII_READBACK_H
#define ARMCII_READBACK_H

#include "mem/directory.h"
#include "shape/shape.h"

/* Read the remote side of s, in the slice `raddr` of process `target`, into `into` (s->bytes bytes), segments in order.  Nothing of this
 * process is pending there. */
void armcii_readback(const struct raddr *raddr, int target, const struct shape *s, char *into);

#endif
