/* observe.h - statistics (ARMCI_STATS) and verification (ARMCI_VERIFY) look at the library from above.
 *
 * Public functions announce calls, transfers and regions (statistics.h). What transports carry is observed at the route: an observed region
 * has routes whose transports are copies of the real ones, except that start and rmw belong to the observer, which calls the real ones.
 * Nothing below knows of this; with both off, regions keep their routes. */
#ifndef ARMCII_OBSERVE_H
#define ARMCII_OBSERVE_H

#include "transport/transport.h"

/* Collective over the world: the last step of the start, and the first of the end. */
void armcii_observe_start(void);
void armcii_observe_end(void);

/* Collective over its team: observe a new region of the program. */
void armcii_observe_region(const char *caller, struct region *r);
/* The same for memory that this process alone has allocated. */
void armcii_observe_memget(const void *memory, size_t bytes);

#endif
