/* preflight.h - what ARMCI_VERBOSE prints at start: the versions, the ranks, how they reach each other, limits, quirks and settings. */
#ifndef ARMCII_PREFLIGHT_H
#define ARMCII_PREFLIGHT_H

/* After all layers have started: rank 0 prints the summary, the first process of each node warns of what is scarce on its node. */
void armcii_preflight(const char *library);

#endif
