/* pending.c - records of incomplete operations. */
#include "transport/rma/rma.h"

#include <stdlib.h>

#include "base/config.h"
#include "base/log.h"
#include "mpi/quirks.h"
#include "mpi/world.h"
#include "node/doorbell.h"

/* A range of addresses; empty when lo >= hi. */
struct addr_range {
    const char *lo, *hi;
};

enum { NOT_ONE_ELEMENT = -1 };

struct record {
    struct region *region;
    int target, rank;                /* in the world, in the region's window */
    const char *origin;              /* the address there with displacement 0 */
    struct addr_range written, read; /* by operations that are not complete remotely */
    int element;                  /* all writes are accumulates of this type; or NOT_ONE_ELEMENT */
    uint64_t last, local;         /* tickets: newest operation, newest locally complete one */
    size_t in_flight;             /* calls since the last completion */
    struct record *next;          /* of the same target */
    struct record *newer, *older; /* of all records */
};

static struct {
    struct record **by_target; /* [world size] */
    struct record *newest;
    struct record *free_list;
    uint64_t tickets;
} pending;

void armcii_rma_flush(struct window *w, int rank, int process)
{
    armcii_doorbell_ring(process);
    armcii_window_flush(w, rank);
}

void armcii_rma_flush_local(struct window *w, int rank, int process)
{
    armcii_doorbell_ring(process);
    armcii_window_flush_local(w, rank);
}

void armcii_pending_start(void)
{
    pending.by_target = armcii_alloc((size_t)armcii_world->size, sizeof *pending.by_target,
                                     "pending operations of %d processes", armcii_world->size);
}

void armcii_pending_end(void)
{
    while (pending.free_list) {
        struct record *r = pending.free_list;
        pending.free_list = r->next;
        free(r);
    }
    free(pending.by_target);
    pending.by_target = NULL;
}

static struct record *find_record(const struct region *region, int target)
{
    struct record *r = pending.by_target[target];
    while (r && r->region != region)
        r = r->next;
    return r;
}

static struct record *new_record(const struct raddr *raddr, int target)
{
    struct record *r = pending.free_list;
    if (r)
        pending.free_list = r->next;
    else
        r = armcii_alloc(1, sizeof *r, "a pending operation");
    *r = (struct record){.region = raddr->region,
                         .target = target,
                         .rank = raddr->rank,
                         .origin = armcii_rma_origin(raddr)};
    r->next = pending.by_target[target];
    r->older = pending.newest;
    r->local = pending.tickets; /* earlier operations on this region and target are complete */
    if (pending.newest) pending.newest->newer = r;
    pending.newest = pending.by_target[target] = r;
    return r;
}

static void discard(struct record *r)
{
    struct record **link = &pending.by_target[r->target];
    while (*link != r)
        link = &(*link)->next;
    *link = r->next;
    if (r->newer)
        r->newer->older = r->older;
    else
        pending.newest = r->older;
    if (r->older) r->older->newer = r->newer;
    r->next = pending.free_list;
    pending.free_list = r;
}

static bool is_empty(struct addr_range a)
{
    return a.lo >= a.hi;
}

static bool overlaps(struct addr_range a, const char *lo, const char *hi)
{
    return a.lo < hi && lo < a.hi;
}

static void widen(struct addr_range *a, const char *lo, const char *hi)
{
    if (is_empty(*a)) {
        *a = (struct addr_range){lo, hi};
        return;
    }
    if (lo < a->lo) a->lo = lo;
    if (hi > a->hi) a->hi = hi;
}

/* MPI does not order puts, gets and accumulates. Accumulates of one type need no order, because
 * sums commute. */
static bool must_wait(const struct record *r, struct op_verb verb, const char *lo, const char *hi)
{
    bool commutes = verb.kind == OP_ACC && r->element == (int)verb.element;
    if (overlaps(r->written, lo, hi) && !commutes) return true;
    return verb.kind != OP_GET && overlaps(r->read, lo, hi);
}

static void add_op(struct record *r, struct op_verb verb, const char *lo, const char *hi,
                   size_t calls)
{
    r->last = ++pending.tickets;
    r->in_flight += calls;
    if (verb.kind == OP_GET) {
        widen(&r->read, lo, hi);
        return;
    }
    int element = verb.kind == OP_ACC ? (int)verb.element : NOT_ONE_ELEMENT;
    r->element = is_empty(r->written) || r->element == element ? element : NOT_ONE_ELEMENT;
    widen(&r->written, lo, hi);
}

static struct window *window_of(const struct record *r)
{
    return armcii_rma_part(r->region)->window;
}

static void flush(const struct record *r)
{
    armcii_rma_flush(window_of(r), r->rank, r->target);
}

static bool needs_readback(const struct record *r)
{
    return !is_empty(r->written) && !armcii_quirks->flush_is_remote;
}

/* A get of one byte follows the puts in the same connection; after another flush both are complete.
 */
static void issue_readback(const struct record *r)
{
    static char unused;
    struct window *w = window_of(r);
    armcii_window_transfer(w, (struct op_verb){.kind = OP_GET}, r->rank, &unused,
                           r->written.lo - r->origin, 1);
}

/* A record is complete when all that begin_completion started is. */
static void begin_completion(const struct record *r)
{
    flush(r);
    if (needs_readback(r)) issue_readback(r);
}

static void end_completion(struct record *r)
{
    if (needs_readback(r)) flush(r);
    discard(r);
}

static void complete_record(struct record *r)
{
    begin_completion(r);
    end_completion(r);
}

/* A get is complete only after a flush. A flush of the own process costs nothing and lets the
 * program load what it put. */
static void complete_record_local(struct record *r)
{
    if (!is_empty(r->read) || r->target == armcii_world->rank || !armcii_quirks->local_completion) {
        complete_record(r);
        return;
    }
    armcii_rma_flush_local(window_of(r), r->rank, r->target);
    r->local = r->last;
    r->in_flight = 0;
}

static bool is_among(const struct record *r, const struct op_set *which)
{
    return (!which->region || r->region == which->region) &&
           (!which->team || armcii_team_rank(which->team, r->target) >= 0);
}

static struct record *first_of(const struct op_set *which)
{
    return which->target < 0 ? pending.newest : pending.by_target[which->target];
}

static struct record *next_of(const struct op_set *which, const struct record *r)
{
    return which->target < 0 ? r->older : r->next;
}

/* Wakes all targets before it waits for the first one. MPI_Win_flush_all is no way to do this: over
 * UCX it does not wait for operations that a full queue of the target holds back (seen with MPICH
 * 4.0.2 and UCX 1.13). */
static void complete_remotely(const struct op_set *which)
{
    struct record *r, *next;
    for (r = first_of(which); r; r = next_of(which, r))
        if (is_among(r, which)) armcii_doorbell_ring(r->target);
    for (r = first_of(which); r; r = next_of(which, r))
        if (is_among(r, which)) begin_completion(r);
    for (r = first_of(which); r; r = next) {
        next = next_of(which, r);
        if (is_among(r, which)) end_completion(r);
    }
}

static void complete_locally(const struct op_set *which)
{
    struct record *next;
    for (struct record *r = first_of(which); r; r = next) {
        next = next_of(which, r);
        if (is_among(r, which) && r->local < r->last) complete_record_local(r);
    }
}

void armcii_pending_complete(const struct op_set *which, unsigned how)
{
    if (how & COMPLETE_REMOTE)
        complete_remotely(which);
    else
        complete_locally(which);
}

/* ---- operations in flight ---- */

/* MPI libraries limit operations in flight to one target over all windows. */
static void limit_in_flight(int target, size_t calls)
{
    size_t in_flight = calls, a = armcii_config->outstanding_limit, b = armcii_quirks->outstanding;
    for (const struct record *r = pending.by_target[target]; r; r = r->next)
        in_flight += r->in_flight;
    if (in_flight > (a < b ? a : b))
        armcii_pending_complete(&(struct op_set){.target = target}, COMPLETE_LOCAL);
}

uint64_t armcii_pending_order_before_issue(const struct raddr *raddr, int target,
                                           struct op_verb verb, const char *lo, const char *hi,
                                           size_t calls)
{
    struct record *r = find_record(raddr->region, target);
    if (r && must_wait(r, verb, lo, hi)) complete_record(r);
    limit_in_flight(target, calls);
    r = find_record(raddr->region, target);
    if (!r) r = new_record(raddr, target);
    add_op(r, verb, lo, hi, calls);
    return r->last;
}

void armcii_pending_order_before_local(const struct raddr *raddr, int target, struct op_verb verb,
                                       const char *lo, const char *hi)
{
    struct record *r = find_record(raddr->region, target);
    if (r && must_wait(r, verb, lo, hi)) complete_record(r);
}

bool armcii_pending_is_dirty(const struct region *region, int target)
{
    return find_record(region, target) != NULL;
}

/* The record of an operation; NULL if the operation is complete locally. Its region may be freed.
 */
static struct record *find_incomplete(const struct request *req)
{
    struct record *r = pending.by_target[req->target];
    while (r && armcii_rma_part(r->region)->id != req->channel)
        r = r->next;
    return r && r->local < req->id ? r : NULL;
}

bool armcii_pending_is_complete(const struct request *req)
{
    return !find_incomplete(req);
}

void armcii_pending_wait(const struct request *req)
{
    struct record *r = find_incomplete(req);
    if (r) complete_record_local(r);
}

bool armcii_pending_is_quiet(void)
{
    return !pending.newest;
}
