/* path.h - what a path is: one way to carry out a located transfer.  A path is a value; the planner chooses among them.
 *
 * `can` and `issue` are called by the engine under the global lock, `can` first.  The path `direct` is complete when `issue` returns;
 * `server` may return a ticket for armcii_client_finish; both scale what they accumulate.  The others return 0, are in the pending records
 * then and complete by a flush of the region's window (a path that must complete parts earlier does so itself); they take data that is
 * scaled already. */
#ifndef ARMCII_PATH_H
#define ARMCII_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/stats.h"
#include "mem/region.h"
#include "mpi/rma.h"
#include "shape/shape.h"

/* A transfer whose remote side lies in one slice of one region. */
struct located {
    struct rma_verb verb;
    const void *scale; /* accumulate: one element; NULL: once */
    int target;        /* rank in the world */
    const struct shape *shape;
    struct raddr raddr;
    enum rma_typing typing; /* for paths with datatypes */
    size_t batch;           /* calls between two completions, for paths with many calls */
    size_t calls;           /* calls in flight at once */
};

struct path {
    const char *name;
    const char *doc; /* one line for people */
    enum stats_path counted; /* as what statistics count it */
    bool (*can)(const struct located *t);
    uint64_t (*issue)(const struct located *t);
};

/* Loads and stores of memory that this node shares. */
extern const struct path armcii_path_direct;
/* Requests to a server on the target's node. */
extern const struct path armcii_path_server;
/* One MPI call. */
extern const struct path armcii_path_contiguous;
/* One MPI call with derived datatypes, several where it is larger than a datatype should be. */
extern const struct path armcii_path_datatype;
/* One contiguous MPI call per segment, completed now and then. */
extern const struct path armcii_path_batched;
/* One contiguous MPI call per segment, each complete before the next: right whatever overlaps. */
extern const struct path armcii_path_conservative;

#endif
