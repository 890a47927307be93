/* probe.h - what MPI's RMA does by itself between two nodes of this job: a measurement at start, from which route.c chooses. */
#ifndef ARMCII_PROBE_H
#define ARMCII_PROBE_H

#include <stdbool.h>

enum probe_op { PROBE_PUT, PROBE_GET, PROBE_ACC, PROBE_FETCH, PROBE_OPS };

struct probe_result {
    bool measured;             /* false: no probe ran, or windows cannot be created; nothing below is valid */
    bool complete[PROBE_OPS];  /* between every pair of nodes probed: complete remotely while the target calls no MPI function */
    double seconds[PROBE_OPS]; /* operation and flush, the slowest pair */
    double round_trip;         /* of a message, the slowest pair; seconds */
};

/* The result of this job's probe, the same on every process. */
extern const struct probe_result *const armcii_probe;

/* Collective over the world, while no progress thread runs. The first processes of the nodes probe in pairs: 2 to 5 ms,
 * or 200 round trips if those are slow, at any number of nodes. */
void armcii_probe_run(void);
/* Forget the result. */
void armcii_probe_end(void);

/* Are contiguous puts and gets best left to the network? They must need nothing of the target, and not be much slower than messages. */
bool armcii_probe_finds_rdma(const struct probe_result *probe);

/* "put", "get", "accumulate", "fetch-and-op" */
extern const char *const armcii_probe_names[PROBE_OPS];

#endif
