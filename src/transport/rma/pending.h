/* pending.h - what this process has issued and not yet completed: one record for each (region, target) that is dirty.
 *
 * It does three things from the same record: keeps the order that location consistency promises (an operation that meets bytes of an
 * earlier one waits for it, nothing else waits), makes a fence cost what is dirty and no more, and bounds what is in flight. */
#ifndef ARMCII_PENDING_H
#define ARMCII_PENDING_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/window.h"
#include "transport/transport.h"

struct rma_region {
    struct window window;
    int dirty;     /* processes towards which something is pending */
    size_t lead[]; /* [team size], displacement of the slice's base */
};

/* The address in the target's slice whose displacement is 0. */
static inline const char *armcii_rma_origin(const struct raddr *raddr)
{
    const struct region *r = raddr->region;
    return r->memget ? NULL : raddr->lo - r->rma->lead[raddr->rank];
}

/* Complete this process's operations towards one member of a window, remotely or locally; its progress thread is woken to help. */
void armcii_rma_flush(struct window *w, int rank, int process);
void armcii_rma_flush_local(struct window *w, int rank, int process);

void armcii_pending_start(void);
/* Nothing is outstanding any more. */
void armcii_pending_end(void);

/* About to issue an operation on [lo, hi) of `target`'s slice, `calls` at once: completes earlier ones that it must not overtake, or
 * that fill what may be in flight to the target, and notes it.  Returns the operation's ticket, for armcii_pending_complete_local. */
uint64_t armcii_pending_order_before_issue(const struct raddr *raddr, int target, struct rma_verb verb, const char *lo, const char *hi,
                              size_t calls);

/* About to load or store [lo, hi) of `target`'s slice, or to change it by an atomic of this processor: completes earlier operations by MPI
 * that must not be overtaken. */
void armcii_pending_order_before_local(const struct raddr *raddr, int target, struct rma_verb verb, const char *lo, const char *hi);

/* Is there anything towards that target on that region? */
bool armcii_pending_is_dirty(const struct region *region, int target);

/* The operation with that ticket is complete locally on return (a get: its data are there); it may be complete or its region gone
 * already. */
void armcii_pending_complete_local(uint64_t region_id, int target, uint64_t ticket);
/* Is it, as far as is known?  MPI does not say so unasked: only what was flushed is. */
bool armcii_pending_is_complete_local(uint64_t region_id, int target, uint64_t ticket);
/* Everything towards that target on that region is complete remotely on return; costs nothing where nothing is pending. */
void armcii_pending_complete(const struct region *region, int target);

/* Everything towards a target, towards everyone: remotely, this process's own stores included. */
void armcii_pending_fence(int target);
void armcii_pending_fence_all(void);
/* Towards all members of a team: costs what is pending, not the size of the team. */
void armcii_pending_fence_team(const struct team *team);
/* Everything on a region, gets too: afterwards it may be freed. */
void armcii_pending_complete_region(struct region *region);
/* Is there nothing that a fence would have to wait for? */
bool armcii_pending_is_quiet(void);
/* Everything towards a target, towards everyone: locally. */
void armcii_pending_wait(int target);
void armcii_pending_wait_all(void);

#endif
