/* observe.c - routes that let statistics and the hang report see what transports carry. */
#include "observe/observe.h"

#include "base/hang.h"
#include "base/log.h"
#include "core/op.h"
#include "mem/directory.h"
#include "mem/region.h"
#include "mpi/world.h"

enum { MAX_ROUTES = 8 };

static struct {
    struct observed_route {
        struct route route;
        const struct route *real;
    } routes[MAX_ROUTES];
    size_t route_count;
    struct observed_transport {
        struct transport transport;
        const struct transport *real;
    } transports[MAX_TRANSPORTS];
    size_t transport_count;
} observed;

static bool is_on(void)
{
    return armcii_stats.on || armcii_observed.hang;
}

/* The address with its real route. */
static struct raddr unobserved(const struct raddr *raddr)
{
    struct raddr real = *raddr;
    for (size_t i = 0; i < observed.route_count; i++)
        if (raddr->route == &observed.routes[i].route) real.route = observed.routes[i].real;
    return real;
}

/* Every call that may wait is recorded, so the order of the stores is left to the processor. */
#define SET(member, value) atomic_store_explicit(&(member), value, memory_order_relaxed)

void armcii_call_begin(const char *function, int process)
{
    struct call *c = armcii_call_own();
    if (c->depth++ > 0) {
        if (process >= 0 && c->target < 0) SET(c->target, process);
        return;
    }
    SET(c->function, function);
    SET(c->target, process);
    SET(c->before, -1);
    SET(c->collective, 0);
    SET(c->reported, false);
    if (armcii_stats.on) armcii_stats_call(c);
    SET(c->begun, armcii_observed.calls ? armcii_clock_ns() : CALL_UNTIMED);
}

void armcii_call_end(void)
{
    struct call *c = armcii_call_own();
    if (c->depth == 0 || --c->depth > 0) return; /* 0: the call began before observation did */
    if (armcii_observed.calls) SET(c->ended, armcii_clock_ns());
    if (armcii_stats.on && c->counted.row) armcii_stats_called(c);
    SET(c->begun, 0);
}

/* The calling thread starts a transfer of `bytes` bytes from `at` on. */
static void note_transfer(const char *what, const struct raddr *raddr, int target, const char *at,
                          size_t bytes)
{
    struct call *c = armcii_call_own();
    SET(c->what, what);
    SET(c->to, target);
    SET(c->base, (uintptr_t)raddr->lo);
    SET(c->size, (size_t)(raddr->hi - raddr->lo));
    SET(c->offset, (size_t)(at - raddr->lo));
    SET(c->bytes, bytes);
}

static int start(const struct op *op, const struct raddr *raddr, struct request *req)
{
    static const char *const names[] = {
        [OP_PUT] = "put", [OP_GET] = "get", [OP_ACC] = "accumulate"};
    struct raddr real = unobserved(raddr);
    if (armcii_observed.hang)
        note_transfer(names[op->verb.kind], raddr, op->target, op->lo, op->shape.bytes);
    int rc = armcii_op_issue(op, &real, req);
    if (rc == 0 && armcii_stats.on)
        armcii_stats_carried(req->path, op->shape.bytes, op->shape.nsegs);
    return rc;
}

static long rmw(const struct raddr *raddr, int target, enum rmw_update update, size_t bytes,
                void *remote, long operand)
{
    struct raddr real = unobserved(raddr);
    if (armcii_observed.hang) note_transfer("read-modify-write", raddr, target, remote, bytes);
    if (armcii_stats.on) armcii_stats_carried(real.route->atomic->rmw_path, bytes, 1);
    return armcii_rmw_issue(&real, target, update, bytes, remote, operand);
}

/* The order is kept where the real transport is called. */
static const struct transport *observed_transport(const struct transport *real)
{
    size_t i = 0;
    while (i < observed.transport_count && observed.transports[i].real != real)
        i++;
    if (i == MAX_TRANSPORTS) armcii_fatal("more than %d transports to observe", MAX_TRANSPORTS);
    if (i == observed.transport_count) {
        observed.transports[observed.transport_count++] = (struct observed_transport){*real, real};
        observed.transports[i].transport.start = start;
        observed.transports[i].transport.rmw = rmw;
        observed.transports[i].transport.order = NULL;
    }
    return &observed.transports[i].transport;
}

/* An observed route stays as it is. */
static const struct route *observed_route(const struct route *real)
{
    size_t i = 0;
    while (i < observed.route_count && observed.routes[i].real != real &&
           &observed.routes[i].route != real)
        i++;
    if (i == MAX_ROUTES) armcii_fatal("more than %d routes to observe", MAX_ROUTES);
    if (i == observed.route_count) {
        observed.routes[observed.route_count++] = (struct observed_route){*real, real};
        observed.routes[i].route.contiguous = observed_transport(real->contiguous);
        observed.routes[i].route.shaped = observed_transport(real->shaped);
        observed.routes[i].route.atomic = observed_transport(real->atomic);
    }
    return &observed.routes[i].route;
}

static void observe(struct region *r)
{
    r->near = observed_route(r->near);
    r->far = observed_route(r->far);
    armcii_addr_cache_clear(); /* it has the routes */
}

void armcii_observe_start(void)
{
    observed.route_count = observed.transport_count = 0;
    armcii_statistics_start();
    armcii_observed.calls = is_on();
    if (!is_on()) return;
    *armcii_call_own() = (struct call){.function = "ARMCI_Init", .ended = armcii_clock_ns()};
    if (armcii_memget_region()) observe(armcii_memget_region());
}

void armcii_observe_end(void)
{
    armcii_observed.calls = false;
    armcii_statistics_end();
}

void armcii_observe_region(struct region *r)
{
    if (!is_on()) return;
    observe(r);
    armcii_stats_region(true, r->own_bytes);
}

void armcii_observe_memget(const void *memory, size_t bytes)
{
    struct raddr raddr;
    if (is_on() && armcii_region_locate(armcii_world->rank, memory, &raddr)) observe(raddr.region);
    armcii_stats_region(true, bytes);
}
