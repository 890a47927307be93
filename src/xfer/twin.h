/* twin.h - the proof of ARMCI_CHECK: what looked wrong is done once more in memory that no other process touches.
 *
 * Where others may change the bytes of a transfer, a difference proves nothing.  Its twin is the same transfer (kind, shape, alignment,
 * target, so the same path) between private local memory and a lane of the target that belongs to this process alone: there every byte must
 * be as the model says, between the pieces too. */
#ifndef ARMCII_TWIN_H
#define ARMCII_TWIN_H

#include <stdbool.h>

#include "gmr/directory.h"
#include "xfer/transfer.h"

/* Collective over the world: make the lanes.  They go with all regions. */
void armcii_twin_start(void);

/* Carry out the twin of t, whose remote side lies in `place`.  Returns if it is right, or there is no memory for it; else the job ends. */
void armcii_twin_try(const struct transfer *t, const struct place *place);

/* 64 bytes of this process's lane in the target, and their place; false while another thread uses the lane. */
bool armcii_twin_borrow(int target, char **address, struct place *place);
void armcii_twin_give_back(void);

#endif
