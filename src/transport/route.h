/* route.h - the choice of transports, made when the library starts, for each region and for each set of mutexes. Everything else follows
 * the route in the resolved address. */
#ifndef ARMCII_ROUTE_H
#define ARMCII_ROUTE_H

#include "transport/transport.h"

/* Collective over the world and the progress ranks, once the node is known: choose and start the transports. */
void armcii_route_start(void);
/* Collective; nothing is outstanding. */
void armcii_route_end(void);

/* Set r->near and r->far; r->team and r->memget are known. */
void armcii_route_region(struct region *r);
/* The transport for barriers of the world. */
const struct transport *armcii_route_barrier(void);

/* "am", "rdma" or "rma": the route to other nodes; NULL: there is one node. */
const char *armcii_route_far_name(void);
/* For people: how processes of one node reach each other; those of different nodes (NULL: there is one node); what makes progress. */
const char *armcii_route_near_doc(void);
const char *armcii_route_far_doc(void);
const char *armcii_route_progress_doc(void);
/* Do operations on other nodes complete without calls of their target? */
bool armcii_route_is_asynchronous(void);

#endif
