/* op.c - engine of all operations: resolve the address, order, choose a transport, issue. */
#include "core/op.h"

#include <armci.h>
#include <stdint.h>
#include <string.h>

#include "base/log.h"
#include "mem/region.h"
#include "transport/shm/shm.h"

static const char *remote_argument(const struct op *op)
{
    if (op->shape.form == SHAPE_VECTOR) return "iov";
    return op->verb.kind == OP_GET ? "src" : "dst";
}

__attribute__((noinline)) static int resolve_anywhere(const char *caller, const char *argument,
                                                      int target, const void *address, size_t bytes,
                                                      struct raddr *raddr)
{
    struct raddr found;
    if (!armcii_resolve(target, address, bytes, &found))
        return armcii_error(ARMCI_ERR_ADDRESS, caller, argument,
                            "the address lies in no global region of the process",
                            "%p of process %d", address, target);
    if (!armcii_slice_holds(&found, address, bytes))
        return armcii_error(ARMCI_ERR_RANGE, caller, argument, "the transfer exceeds its region",
                            "%p + %zu bytes of process %d, where the region ends after %zu bytes",
                            address, bytes, target, (size_t)(found.hi - (const char *)address));
    *raddr = found;
    return 0;
}

inline int armcii_op_resolve(const char *caller, const char *argument, int target,
                             const void *address, size_t bytes, struct raddr *raddr)
{
    const struct raddr *last = armcii_lookup_last(target, address, bytes);
    if (!last) return resolve_anywhere(caller, argument, target, address, bytes, raddr);
    *raddr = *last;
    return 0;
}

int armcii_op_check_mode(const char *caller, const char *argument, enum op_kind kind,
                         const struct raddr *raddr)
{
    if (!(armcii_region_refuses(raddr->region) & 1u << kind)) return 0;
    return armcii_error(ARMCI_ERR_ARGUMENT, caller, argument,
                        "the access mode of the region, set by ARMCIX_Mode_set, forbids it", "%#x",
                        (unsigned)raddr->region->mode);
}

__attribute__((noinline)) static int order_and_issue(const struct op *op, const struct raddr *raddr,
                                                     struct request *req)
{
    const struct transport *transport = armcii_route_transport(raddr->route, op->verb, &op->shape);
    armcii_route_order(raddr, transport, op->target, op->verb, op->lo, op->hi);
    return transport->start(op, raddr, req);
}

/* Let the route of *raddr carry a transfer whose remote side is in that slice, in order with
 * earlier ones. 0 or an error code. */
static inline int issue(const struct op *op, const struct raddr *raddr, struct request *req)
{
    return armcii_route_is_uniform(raddr->route) ? raddr->route->atomic->start(op, raddr, req)
                                                 : order_and_issue(op, raddr, req);
}

static int resolve_segment(const struct op *op, const struct segment *seg, struct raddr *raddr)
{
    const char *argument = remote_argument(op);
    int rc = armcii_op_resolve(op->caller, argument, op->target, seg->remote, seg->bytes, raddr);
    return rc ? rc : armcii_op_check_mode(op->caller, argument, op->verb.kind, raddr);
}

/* Issue the segments of a vector over several slices one by one, each complete before the next. The
 * data are already scaled. 0 or an error code: memory may run out, and another thread free a slice.
 */
static int issue_scattered(const struct op *op)
{
    struct shape_iter it;
    struct segment seg;
    struct raddr raddr;
    int rc = 0;
    for (armcii_shape_begin(&it, &op->shape); rc == 0 && armcii_shape_next(&it, &seg);) {
        struct op one = *op;
        struct request req = {0};
        one.scale = NULL;
        one.lo = seg.remote;
        one.hi = seg.remote + seg.bytes;
        armcii_shape_contiguous(&one.shape, seg.local, seg.remote, seg.bytes);
        rc = resolve_segment(op, &seg, &raddr);
        if (rc == 0) rc = issue(&one, &raddr, &req);
        if (rc == 0) armcii_op_wait(&req);
    }
    return rc;
}

static int check_scattered(const struct op *op)
{
    struct shape_iter it;
    struct segment seg;
    struct raddr raddr;
    int rc = 0;
    for (armcii_shape_begin(&it, &op->shape); rc == 0 && armcii_shape_next(&it, &seg);)
        rc = resolve_segment(op, &seg, &raddr);
    return rc;
}

/* Scale all data before the first segment is issued, since memory may run out. */
static int start_scattered(const struct op *op)
{
    struct op scaled = *op;
    struct buffer *buffers = NULL;
    int rc = check_scattered(op);
    if (!rc && armcii_op_is_scaled(op)) rc = armcii_op_pack(op, &scaled.shape, &buffers);
    if (rc) return rc;
    rc = issue_scattered(&scaled);
    armcii_buffers_free(buffers);
    return rc;
}

/* Find the slice of the remote side of op, which is no vector. Negative strides reach below the
 * first segment. */
static int locate(const struct op *op, struct raddr *raddr)
{
    const char *first = op->shape.remote;
    if (op->hi < op->lo)
        return armcii_error(ARMCI_ERR_RANGE, op->caller, remote_argument(op),
                            "the transfer leaves the address space", "%p", (const void *)first);
    int rc = armcii_op_resolve(op->caller, remote_argument(op), op->target, first,
                               (size_t)(op->hi - first), raddr);
    if (rc || op->lo >= raddr->lo) return rc;
    return armcii_error(
        ARMCI_ERR_RANGE, op->caller, remote_argument(op), "the transfer exceeds its region",
        "%p - %zu bytes of process %d, where the region begins %zu bytes earlier",
        (const void *)first, (size_t)(first - op->lo), op->target, (size_t)(first - raddr->lo));
}

/* The bytes of the remote side from the lowest one on; more than any slice has if it leaves the
 * address space. */
static inline size_t remote_extent(const struct op *op)
{
    return (uintptr_t)op->hi - (uintptr_t)op->lo;
}

__attribute__((noinline)) static int locate_anywhere(const struct op *op, struct raddr *raddr)
{
    int rc = 0;
    if (op->shape.form != SHAPE_VECTOR)
        rc = locate(op, raddr);
    else if (!armcii_lookup(op->target, op->lo, raddr) ||
             !armcii_slice_holds(raddr, op->lo, remote_extent(op)))
        raddr->region = NULL;
    if (rc || !raddr->region) return rc;
    return armcii_op_check_mode(op->caller, remote_argument(op), op->verb.kind, raddr);
}

/* Most operations are on the slice of the one before, whose region refuses nothing
 * (armcii_lookup_last). */
inline int armcii_op_locate(const struct op *op, struct raddr *raddr)
{
    const struct raddr *last = armcii_lookup_last(op->target, op->lo, remote_extent(op));
    if (!last) return locate_anywhere(op, raddr);
    *raddr = *last;
    return 0;
}

__attribute__((always_inline)) inline int armcii_op_start(const struct op *op, struct request *req)
{
    struct raddr raddr;
    *req = (struct request){0};
    if (op->shape.bytes == 0) return 0;
    int rc = armcii_op_locate(op, &raddr);
    if (rc) return rc;
    if (!raddr.region) return start_scattered(op);
    return issue(op, &raddr, req);
}

void armcii_op_wait(struct request *req)
{
    if (req->transport) req->transport->wait(req);
    armcii_buffers_free(req->buffers);
    *req = (struct request){0};
}

bool armcii_op_is_complete(const struct request *req)
{
    return !req->transport || req->transport->is_complete(req);
}

bool armcii_op_test(const struct request *req)
{
    return !req->transport || req->transport->test(req);
}

int armcii_op_blocking(const struct op *op)
{
    struct request req;
    int rc = armcii_op_start(op, &req);
    if (rc) return rc;
    if (req.transport || req.buffers) armcii_op_wait(&req);
    if (op->verb.kind == OP_GET) armcii_op_poll();
    return 0;
}

/* ---- read-modify-write ---- */

size_t armcii_rmw_bytes(int op)
{
    return op == ARMCI_FETCH_AND_ADD || op == ARMCI_SWAP ? sizeof(int) : sizeof(long);
}

static enum rmw_update update_of(int op)
{
    return op == ARMCI_SWAP || op == ARMCI_SWAP_LONG ? RMW_REPLACE : RMW_ADD;
}

/* The addend or the new value, in the first `bytes` bytes. */
static long load_operand(enum rmw_update update, const void *local, int value, size_t bytes)
{
    long add = value, operand = 0;
    const void *source = update == RMW_REPLACE  ? local
                         : bytes == sizeof(int) ? (const void *)&value
                                                : &add;
    memcpy(&operand, source, bytes);
    return operand;
}

static void store_result(void *local, long old, size_t bytes)
{
    if (bytes == sizeof(int))
        memcpy(local, &(int){(int)old}, sizeof(int));
    else
        memcpy(local, &old, sizeof old);
}

long armcii_rmw_issue(const struct raddr *raddr, int target, enum rmw_update update, size_t bytes,
                      void *remote, long operand)
{
    const struct transport *transport = raddr->route->atomic;
    struct op_verb verb = {.kind = OP_PUT}; /* it reads and writes */
    if (!armcii_route_is_uniform(raddr->route))
        armcii_route_order(raddr, transport, target, verb, remote, (char *)remote + bytes);
    return transport->rmw(raddr, target, update, bytes, remote, operand);
}

void armcii_rmw_there(int op, void *local, char *there, int value)
{
    const size_t bytes = armcii_rmw_bytes(op);
    const enum rmw_update update = update_of(op);
    long operand = load_operand(update, local, value, bytes);
    store_result(local, armcii_apply_rmw(update, bytes, there, operand), bytes);
}

int armcii_rmw(const char *caller, int op, void *local, void *remote, int value, int target)
{
    const size_t bytes = armcii_rmw_bytes(op);
    const enum rmw_update update = update_of(op);
    struct raddr raddr;
    if ((uintptr_t)remote % bytes != 0)
        return armcii_error(ARMCI_ERR_ALIGN, caller, "prem",
                            "the address is not aligned to its type", "%p", remote);
    if (armcii_page_is_direct(target, remote, bytes)) {
        armcii_rmw_there(op, local, remote, value);
        return 0;
    }
    int rc = armcii_op_resolve(caller, "prem", target, remote, bytes, &raddr);
    if (!rc) rc = armcii_op_check_mode(caller, "prem", OP_PUT, &raddr);
    if (rc) return rc;
    long operand = load_operand(update, local, value, bytes);
    store_result(local, armcii_rmw_issue(&raddr, target, update, bytes, remote, operand), bytes);
    return 0;
}
