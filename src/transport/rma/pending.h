/* pending.h - the operations that this process has issued and not completed: one record for each
 * dirty (region, target).
 *
 * The records keep the order of location consistency (an operation waits for an earlier one only if
 * their bytes overlap), let a fence visit only what is dirty, and limit the operations in flight.
 */
#ifndef ARMCII_PENDING_H
#define ARMCII_PENDING_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/window.h"
#include "transport/transport.h"

struct rma_region {
    struct window *window; /* own, or its extent's */
    struct window own;
    int dirty;           /* targets with pending operations */
    size_t displacement; /* of every slice's base, if pad is NULL */
    size_t *pad;         /* [team size]: displacement of the slice's base */
};

/* The address in the target's slice whose displacement is 0. */
static inline const char *armcii_rma_origin(const struct raddr *raddr)
{
    const struct region *r = raddr->region;
    return r->memget ? NULL
                     : raddr->lo - (r->rma->pad ? r->rma->pad[raddr->rank] : r->rma->displacement);
}

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

/* Are operations pending towards that target on that region? */
bool armcii_pending_is_dirty(const struct region *region, int target);

/* ---- functions of struct transport ---- */

/* The request may be complete already, and its region freed. */
void armcii_pending_wait(const struct request *req);
/* MPI reports completion only for flushed operations. */
bool armcii_pending_is_complete(const struct request *req);
void armcii_pending_wait_all(int target);

void armcii_pending_fence(int target);
void armcii_pending_fence_team(const struct team *team);
void armcii_pending_fence_all(void);
void armcii_pending_fence_region(struct region *region, int target);
bool armcii_pending_is_quiet(void);

#endif
