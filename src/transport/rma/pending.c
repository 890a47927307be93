/* pending.c - records of what is not complete yet. */
#include "transport/rma/pending.h"

#include <stdlib.h>

#include "base/config.h"
#include "base/log.h"
#include "base/fault.h"
#include "mpi/quirks.h"
#include "transport/rma/doorbell.h"
#include "mpi/world.h"

/* A range of addresses; empty when lo >= hi. */
struct addr_range {
    const char *lo, *hi;
};

enum { NOT_ONE_ELEMENT = -1 };

struct record {
    struct region *region;
    int target, rank;              /* in the world, in the region's window */
    const char *origin;            /* the address there with displacement 0 */
    struct addr_range written, read;     /* by operations not complete remotely */
    int element;                   /* what is written comes from accumulates of this type; or NOT_ONE_ELEMENT */
    uint64_t last, local, last_get; /* tickets: the newest, the newest complete locally, the newest get */
    size_t in_flight;              /* since the last completion */
    struct record *next;           /* of the same target */
    struct record *newer, *older;  /* of all */
};

static struct record **of_target; /* [world size] */
static struct record *newest;
static struct record *spare;
static uint64_t tickets;

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
    of_target = calloc((size_t)armcii_world->size, sizeof *of_target);
    if (!of_target) armcii_fatal("out of memory for pending operations of %d processes", armcii_world->size);
}

void armcii_pending_end(void)
{
    while (spare) {
        struct record *r = spare;
        spare = r->next;
        free(r);
    }
    free(of_target);
    of_target = NULL;
}

static struct record *find(const struct region *region, int target)
{
    struct record *r = of_target[target];
    while (r && r->region != region) r = r->next;
    return r;
}

static struct record *new_record(const struct raddr *raddr, int target)
{
    struct record *r = spare;
    if (r)
        spare = r->next;
    else if (!(r = malloc(sizeof *r)))
        armcii_fatal("out of memory for a pending operation");
    *r = (struct record){.region = raddr->region, .target = target, .rank = raddr->rank, .origin = armcii_rma_origin(raddr)};
    r->next = of_target[target];
    r->older = newest;
    r->local = tickets; /* older tickets of this region and target are complete */
    if (newest) newest->newer = r;
    newest = of_target[target] = r;
    r->region->rma->dirty++;
    return r;
}

static void discard(struct record *r)
{
    struct record **link = &of_target[r->target];
    while (*link != r) link = &(*link)->next;
    *link = r->next;
    if (r->newer)
        r->newer->older = r->older;
    else
        newest = r->older;
    if (r->older) r->older->newer = r->newer;
    r->region->rma->dirty--;
    r->next = spare;
    spare = r;
}

static bool meets(struct addr_range a, const char *lo, const char *hi)
{
    return a.lo < hi && lo < a.hi;
}

static void widen(struct addr_range *a, const char *lo, const char *hi)
{
    if (a->lo >= a->hi) {
        *a = (struct addr_range){lo, hi};
        return;
    }
    if (lo < a->lo) a->lo = lo;
    if (hi > a->hi) a->hi = hi;
}

static bool writes_element(const struct record *r, struct rma_verb verb)
{
    return verb.kind == RMA_ACC && r->element == (int)verb.element;
}

/* MPI orders nothing between puts, gets and accumulates; accumulates of one type may pass one another, since sums commute. */
static bool must_wait(const struct record *r, struct rma_verb verb, const char *lo, const char *hi)
{
    if (meets(r->written, lo, hi) && !writes_element(r, verb)) return true;
    return verb.kind != RMA_GET && meets(r->read, lo, hi);
}

static void note(struct record *r, struct rma_verb verb, const char *lo, const char *hi, size_t calls)
{
    r->last = ++tickets;
    r->in_flight += calls;
    if (verb.kind == RMA_GET) {
        r->last_get = r->last;
        widen(&r->read, lo, hi);
        return;
    }
    int element = verb.kind == RMA_ACC ? (int)verb.element : NOT_ONE_ELEMENT;
    bool first = r->written.lo >= r->written.hi;
    r->element = first || r->element == element ? element : NOT_ONE_ELEMENT;
    widen(&r->written, lo, hi);
}

static void flush(const struct record *r)
{
    if (!armcii_fault("flush-dropped")) armcii_rma_flush(&r->region->rma->window, r->rank, r->target);
}

static bool wants_proof(const struct record *r)
{
    return r->written.lo < r->written.hi && !armcii_quirks->true_flush;
}

/* A byte that is got travels behind what was put on the same way; it has arrived after another flush. */
static void ask_for_proof(const struct record *r)
{
    static char unused;
    struct window *w = &r->region->rma->window;
    armcii_rma_contiguous(w, (struct rma_verb){.kind = RMA_GET}, r->rank, &unused, r->written.lo - r->origin, 1);
}

static void complete_record(struct record *r)
{
    flush(r);
    if (wants_proof(r)) {
        ask_for_proof(r);
        flush(r);
    }
    discard(r);
}

/* A get is complete only when flushed; flushing our own process costs nothing and lets the program load what it put. */
static void complete_record_local(struct record *r)
{
    if (r->last_get > r->local || r->target == armcii_world->rank || !armcii_quirks->local_completion) {
        complete_record(r);
        return;
    }
    armcii_rma_flush_local(&r->region->rma->window, r->rank, r->target);
    r->local = r->last;
    r->in_flight = 0;
}

/* ---- all targets of a region at once ---- */

static void flush_all(struct region *region)
{
    for (const struct record *r = newest; r; r = r->older)
        if (r->region == region) armcii_doorbell_ring(r->target);
    if (!armcii_fault("flush-dropped")) armcii_window_flush_all(&region->rma->window);
}

/* MPI waits for all of them together, but may look at every member: that pays where not too few of them are meant. */
static bool pays_at_once(const struct region *region)
{
    enum { FEW = 16 };
    return region->rma->dirty > 1 && region->rma->dirty >= region->team->size / FEW;
}

static void complete_at_once(struct region *region)
{
    struct record *older;
    bool asked = false;
    flush_all(region);
    for (const struct record *r = newest; r; r = r->older) {
        if (r->region != region || !wants_proof(r)) continue;
        ask_for_proof(r);
        asked = true;
    }
    if (asked) flush_all(region);
    for (struct record *r = newest; r; r = older) {
        older = r->older;
        if (r->region == region) discard(r);
    }
}

/* ---- what may be in flight ---- */

static size_t flight_limit(void)
{
    size_t a = armcii_config->outstanding_limit, b = armcii_quirks->outstanding;
    return a < b ? a : b;
}

/* MPI libraries bound what may be in flight to one target, whatever the window. */
static void bound_flight(int target, size_t calls)
{
    size_t in_flight = calls;
    for (const struct record *r = of_target[target]; r; r = r->next) in_flight += r->in_flight;
    if (in_flight > flight_limit()) armcii_pending_wait(target);
}

uint64_t armcii_pending_order_before_issue(const struct raddr *raddr, int target, struct rma_verb verb, const char *lo, const char *hi,
                              size_t calls)
{
    struct record *r = find(raddr->region, target);
    if (r && must_wait(r, verb, lo, hi) && !armcii_fault("order-flush-dropped")) complete_record(r);
    bound_flight(target, calls);
    r = find(raddr->region, target);
    if (!r) r = new_record(raddr, target);
    note(r, verb, lo, hi, calls);
    return r->last;
}

void armcii_pending_order_before_local(const struct raddr *raddr, int target, struct rma_verb verb, const char *lo, const char *hi)
{
    struct record *r = find(raddr->region, target);
    if (r && must_wait(r, verb, lo, hi) && !armcii_fault("order-lost-between-paths")) complete_record(r);
}

bool armcii_pending_is_dirty(const struct region *region, int target)
{
    return find(region, target) != NULL;
}

/* The record of an operation that is not complete locally; NULL where it is. */
static struct record *record_of(uint64_t region_id, int target, uint64_t ticket)
{
    struct record *r = of_target[target];
    while (r && r->region->id != region_id) r = r->next;
    return r && r->local < ticket ? r : NULL;
}

bool armcii_pending_is_complete_local(uint64_t region_id, int target, uint64_t ticket)
{
    return !record_of(region_id, target, ticket);
}

void armcii_pending_complete_local(uint64_t region_id, int target, uint64_t ticket)
{
    struct record *r = record_of(region_id, target, ticket);
    if (r) complete_record_local(r);
}

void armcii_pending_complete(const struct region *region, int target)
{
    struct record *r = find(region, target);
    if (r) complete_record(r);
}

/* A fault for the tests' test. */
static bool is_forgotten(const struct record *r)
{
    return armcii_fault("group-fence-skipped") && r->region->team->size < armcii_world->size;
}

void armcii_pending_fence(int target)
{
    struct record *next;
    for (struct record *r = of_target[target]; r; r = next) {
        next = r->next;
        if (!is_forgotten(r)) complete_record(r);
    }
}

void armcii_pending_fence_all(void)
{
    while (newest) {
        if (pays_at_once(newest->region))
            complete_at_once(newest->region);
        else
            complete_record(newest);
    }
}

void armcii_pending_fence_team(const struct team *team)
{
    struct record *older;
    for (struct record *r = newest; r; r = older) {
        older = r->older;
        if (team->from_world[r->target] >= 0 && !is_forgotten(r)) complete_record(r);
    }
}

bool armcii_pending_is_quiet(void)
{
    return !newest;
}

void armcii_pending_complete_region(struct region *region)
{
    struct record *older;
    if (pays_at_once(region)) {
        complete_at_once(region);
        return;
    }
    for (struct record *r = newest; r; r = older) {
        older = r->older;
        if (r->region == region) complete_record(r);
    }
}

void armcii_pending_wait(int target)
{
    struct record *next;
    for (struct record *r = of_target[target]; r; r = next) {
        next = r->next;
        if (r->local < r->last) complete_record_local(r);
    }
}

void armcii_pending_wait_all(void)
{
    struct record *older;
    for (struct record *r = newest; r; r = older) {
        older = r->older;
        if (r->local < r->last) complete_record_local(r);
    }
}
