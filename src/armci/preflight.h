/* preflight.h - what ARMCI_VERBOSE prints at start: what runs here, on what, by which ways, and what may get in the way. */
#ifndef ARMCII_PREFLIGHT_H
#define ARMCII_PREFLIGHT_H

/* After all layers have started: rank 0 says the block, the first process of each node warns of what is scarce on its node. */
void armcii_preflight(const char *library);

#endif
