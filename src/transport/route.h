/* route.h - the choice of transports, made when the library starts, for each region and for each
 * set of mutexes. Everything else follows the route in the resolved address. */
#ifndef ARMCII_ROUTE_H
#define ARMCII_ROUTE_H

#include <stdbool.h>

#include "transport/transport.h"

/* Collective over the world, once the node is known: choose and start the transports. */
void armcii_route_start(void);
/* Collective; nothing is outstanding. */
void armcii_route_end(void);

/* Set r->near and r->far; r->team and r->memget are known. */
void armcii_route_region(struct region *r);
/* For sets of mutexes of the team. */
const struct mutexes *armcii_route_mutexes(const struct team *team);
/* Collective over the world; not under the global lock. Everybody's stores and completed operations
 * are visible after it. */
void armcii_route_barrier(void);

/* The choice, and how the lines of ARMCI_VERBOSE describe it. */
struct route_choice {
    const struct route *far; /* to other nodes; NULL: there is one node */
    const char *near_doc;
    char far_doc[256]; /* empty: there is one node */
    const char *progress_doc;
    bool is_asynchronous;  /* operations on other nodes complete without calls of their target */
    bool has_threads;      /* on several nodes: MPI_THREAD_MULTIPLE on every process */
    bool lacks_thread;     /* the system refuses a process its progress thread */
    const char *complaint; /* why ARMCI_TRANSPORT is not obeyed; NULL: it is */
};
extern const struct route_choice *const armcii_route;

/* Before MPI takes its support for threads away: no thread of the library calls it any more. */
void armcii_route_stop_thread(void);

/* ---- the probe: what MPI's RMA does by itself between two nodes of this job (probe.c) ----
 *
 * A measurement at start, from which the route to other nodes is chosen. */

enum probe_op { PROBE_PUT, PROBE_GET, PROBE_ACC, PROBE_FETCH, PROBE_OPS };

struct probe_result {
    bool measured; /* false: no probe ran, or windows cannot be created; nothing below is valid */
    bool complete[PROBE_OPS];  /* between every pair of nodes probed: complete remotely while the
                                  target calls no MPI function */
    double seconds[PROBE_OPS]; /* operation and flush, the slowest pair */
    double round_trip;         /* of a message, the slowest pair; seconds */
};

/* The result of this job's probe, the same on every process. */
extern const struct probe_result *const armcii_probe;

/* Collective over the world, while no progress thread runs. The first processes of the nodes probe
 * in pairs: 2 to 5 ms, or 200 round trips if those are slow, at any number of nodes. */
void armcii_probe_run(void);
/* Forget the result. */
void armcii_probe_end(void);

/* True if contiguous puts and gets are best left to the network. They must need nothing of the
 * target, and not be much slower than messages. */
bool armcii_probe_finds_rdma(const struct probe_result *probe);

/* "put", "get", "accumulate", "fetch-and-op" */
extern const char *const armcii_probe_names[PROBE_OPS];

#endif
