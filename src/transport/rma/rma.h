/* rma.h - the transport rma: MPI-3 windows and one-sided calls. A flush completes operations.
 */
#ifndef ARMCII_RMA_H
#define ARMCII_RMA_H

#include "transport/rma/window.h"
#include "transport/transport.h"

extern const struct transport armcii_rma;
extern const struct mutexes armcii_rma_mutexes; /* mcs.c */

/* Collective over the world. with_thread: a progress thread in each process; MPI allows threads.
 * passive_target: operations on this process's memory need no call of this process. */
void armcii_rma_start(bool with_thread, bool passive_target);
/* Collective; no operations are pending. */
void armcii_rma_end(void);

/* The memory of windows of the team. */
enum window_memory armcii_rma_window_memory(const struct team *team);

/* What this transport keeps for a region. */
struct rma_region {
    struct window *window; /* own, or its chunk's */
    struct window own;
    uint64_t id;        /* unique in this process, never 0 */
    const char *origin; /* the address with displacement 0 in all processes; NULL: see pad */
    size_t *pad;        /* [team size]: displacement of the slice's base; NULL: 0 */
};

static inline struct rma_region *armcii_rma_part(struct region *r)
{
    return r->attached;
}

/* The address in the target's slice whose displacement is 0. */
static inline const char *armcii_rma_origin(const struct raddr *raddr)
{
    const struct rma_region *part = armcii_rma_part(raddr->region);
    if (raddr->region->memget) return NULL;
    return part->origin ? part->origin : raddr->lo - (part->pad ? part->pad[raddr->rank] : 0);
}

/* ---- methods (method.c) ----
 *
 * The method turns an operation into RMA calls. It depends on the configuration, the quirks of the
 * MPI library and whether the written segments overlap. */

/* A put, get or accumulate (not scaled) to one slice. */
struct rma_op {
    struct op_verb verb;
    int target;
    const struct shape *shape;
    struct window *window;
    int rank;           /* of the target in the window */
    const char *origin; /* the address there with displacement 0 */
    bool by_segment;    /* no derived datatypes: the segments are long, and the network carries
                           contiguous data by itself */
    /* set by armcii_rma_choose */
    enum path path;         /* PATH_CONTIGUOUS to PATH_CONSERVATIVE */
    enum rma_typing typing; /* PATH_DATATYPE */
    size_t batch;           /* calls between two flushes */
    size_t calls;           /* calls in flight at once */
};

void armcii_rma_choose(struct rma_op *op);
/* As in struct transport: where a vector of any length is one call. */
bool armcii_rma_joins(struct op_verb verb);
/* Makes the calls. On return the last op->batch of them may be incomplete; with PATH_CONSERVATIVE
 * all are complete remotely. */
void armcii_rma_issue(const struct rma_op *op);

/* ---- pending operations (pending.c) ----
 *
 * One record for each dirty (region, target). The records keep the order of location consistency
 * (an operation waits for an earlier one only if their bytes overlap), let a fence visit only what
 * is dirty, and limit the operations in flight. */

/* Complete this process's operations towards one member of a window, remotely or locally, after
 * waking the target's progress thread. */
void armcii_rma_flush(struct window *w, int rank, int process);
void armcii_rma_flush_local(struct window *w, int rank, int process);

void armcii_pending_start(void);
/* No operations are pending. */
void armcii_pending_end(void);

/* Called before an operation on [lo, hi) of `target`'s slice is issued as `calls` calls. Completes
 * earlier operations that must stay before it or that exceed the limit of operations in flight, and
 * records it. Returns its ticket: the id of the request. */
uint64_t armcii_pending_order_before_issue(const struct raddr *raddr, int target,
                                           struct op_verb verb, const char *lo, const char *hi,
                                           size_t calls);

/* Called before this process loads, stores or atomically updates [lo, hi) of `target`'s slice
 * directly. Completes earlier MPI operations that must stay before that. */
void armcii_pending_order_before_local(const struct raddr *raddr, int target, struct op_verb verb,
                                       const char *lo, const char *hi);

/* True if operations are pending towards that target on that region. */
bool armcii_pending_is_dirty(const struct region *region, int target);

/* The others are functions of struct transport. */

/* The request may be complete already, and its region freed. */
void armcii_pending_wait(const struct request *req);
/* MPI reports completion only for flushed operations. */
bool armcii_pending_is_complete(const struct request *req);
void armcii_pending_complete(const struct op_set *which, unsigned how);
bool armcii_pending_is_quiet(void);

#endif
