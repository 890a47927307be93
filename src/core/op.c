/* op.c - the engine: locate, order, choose a path, issue. */
#include "core/op.h"

#include <stdlib.h>

#include <armci.h>

#include "base/error.h"
#include "base/fault.h"
#include "base/stats.h"
#include "base/backoff.h"
#include "mem/memget.h"
#include "transport/path.h"
#include "transport/am/client.h"
#include "transport/am/am.h"
#include "transport/shm/node.h"
#include "mpi/world.h"
#include "transport/rma/pending.h"
#include "transport/rma/planner.h"

static const char *remote_argument(const struct op *op)
{
    if (op->shape.form == SHAPE_VECTOR) return "iov";
    return op->verb.kind == RMA_GET ? "src" : "dst";
}

int armcii_op_resolve(const char *caller, const char *argument, int target, const void *address, size_t bytes,
                           struct raddr *raddr)
{
    struct raddr found;
    if (!armcii_memget_locate(target, address, bytes, &found))
        return armcii_error(ARMCI_ERR_ADDRESS, caller, argument, "this address lies in no global region of the process", "%p of process %d",
                            address, target);
    if (bytes > (size_t)(found.hi - (const char *)address))
        return armcii_error(ARMCI_ERR_RANGE, caller, argument, "the transfer leaves the region it begins in",
                            "%p + %zu bytes of process %d, where the region ends %zu bytes on", address, bytes, target,
                            (size_t)(found.hi - (const char *)address));
    *raddr = found;
    return 0;
}

/* Does the data change on its way?  MPI does not scale: then it goes through a copy. */
static bool is_scaled(const struct op *op)
{
    return op->verb.kind == RMA_ACC && op->scale && !armcii_scale_is_one(op->verb.element, op->scale) && !armcii_fault("scale-ignored");
}

struct copy *armcii_copy_new(size_t bytes)
{
    struct copy *copy = bytes <= PTRDIFF_MAX - sizeof *copy ? malloc(sizeof *copy + bytes) : NULL;
    if (copy) *copy = (struct copy){.bytes = bytes};
    return copy;
}

void armcii_copies_free(struct copy *list)
{
    while (list) {
        struct copy *copy = list;
        list = copy->older;
        free(copy);
    }
}

/* The same shape with its local side in a scaled copy, which *copies owns. */
static int scale(const struct op *op, struct shape *scaled, struct copy **copies)
{
    struct copy *copy = armcii_copy_new(op->shape.bytes);
    if (!copy)
        return armcii_error(ARMCI_ERR_MEMORY, op->caller, "scale", "out of memory for the scaled copy", "%zu bytes", op->shape.bytes);
    armcii_scale_pack(op->verb.element, op->scale, &op->shape, copy->data);
    *scaled = op->shape;
    armcii_shape_set_packed(scaled, copy->data);
    *copies = copy;
    return 0;
}

/* Loads and stores: complete on return. */
static void carry_out(const struct op *op, const struct located *located, const char *lo, const char *hi)
{
    armcii_stats_travels(armcii_path_direct.counted, op->shape.bytes, op->shape.nsegs);
    armcii_rma_order_before_local(&located->raddr, op->target, op->verb, lo, hi);
    armcii_path_direct.issue(located);
}

static void issue_by_mpi(const struct op *op, const struct path *path, const struct located *located, const char *lo, const char *hi,
                         struct request *req)
{
    armcii_stats_travels(path->counted, op->shape.bytes, op->shape.nsegs);
    req->ticket = armcii_rma_order_before_issue(&located->raddr, op->target, op->verb, lo, hi, located->calls);
    req->region_id = located->raddr.region->id;
    req->target = op->target;
    path->issue(located);
}

int armcii_op_issue_unverified(const struct op *op, const struct raddr *raddr, const char *lo, const char *hi, struct request *req)
{
    struct located located = {.verb = op->verb, .scale = op->scale, .target = op->target, .shape = &op->shape, .raddr = *raddr};
    const struct path *path = armcii_plan(&located);
    struct shape scaled;
    if (path == &armcii_path_direct) {
        carry_out(op, &located, lo, hi);
        return 0;
    }
    if (path == &armcii_path_server) {
        armcii_stats_travels(path->counted, op->shape.bytes, op->shape.nsegs);
        req->asked = path->issue(&located);
        return 0;
    }
    if (is_scaled(op)) {
        int rc = scale(op, &scaled, &req->copies);
        if (rc) return rc;
        located.shape = &scaled;
        path = armcii_plan(&located); /* packed, it may be simpler */
    }
    issue_by_mpi(op, path, &located, lo, hi, req);
    return 0;
}

int (*armcii_op_issue)(const struct op *op, const struct raddr *raddr, const char *lo, const char *hi,
                             struct request *req) = armcii_op_issue_unverified;

const struct path *armcii_op_path(const struct op *op, const struct raddr *raddr)
{
    struct located located = {.verb = op->verb, .scale = op->scale, .target = op->target, .shape = &op->shape, .raddr = *raddr};
    const struct path *path = armcii_plan(&located);
    if (path == &armcii_path_direct || path == &armcii_path_server || !is_scaled(op)) return path;
    struct shape packed = op->shape;
    armcii_shape_set_packed(&packed, op->shape.local);
    located.shape = &packed;
    return armcii_plan(&located);
}

/* A vector over several slices: each segment by itself, complete before the next.  Its data are scaled already. */
static void issue_scattered(const struct op *op)
{
    struct shape_iter it;
    struct segment seg;
    struct raddr raddr;
    for (armcii_shape_begin(&it, &op->shape); armcii_shape_next(&it, &seg);) {
        struct op piece = *op;
        struct request req = {0};
        piece.scale = NULL;
        armcii_shape_contiguous(&piece.shape, seg.local, seg.remote, seg.bytes);
        armcii_memget_locate(op->target, seg.remote, seg.bytes, &raddr);
        armcii_op_issue(&piece, &raddr, seg.remote, seg.remote + seg.bytes, &req);
        armcii_op_finish(&req);
    }
}

/* Scaled as a whole before the first segment goes, since memory may run out. */
static int issue_scattered_scaled(const struct op *op)
{
    struct op scaled = *op;
    struct copy *copies = NULL;
    int rc = is_scaled(op) ? scale(op, &scaled.shape, &copies) : 0;
    if (rc) return rc;
    issue_scattered(&scaled);
    armcii_copies_free(copies);
    return 0;
}

static int check_scattered(const struct op *op)
{
    struct shape_iter it;
    struct segment seg;
    struct raddr raddr;
    int rc = 0;
    for (armcii_shape_begin(&it, &op->shape); rc == 0 && armcii_shape_next(&it, &seg);)
        rc = armcii_op_resolve(op->caller, remote_argument(op), op->target, seg.remote, seg.bytes, &raddr);
    return rc;
}

static bool in_one_slice(const struct op *op, const char *lo, const char *hi, struct raddr *raddr)
{
    return armcii_region_locate(op->target, lo, raddr) && hi <= raddr->hi;
}

/* Where the remote side lies: one slice (*raddr), or, for a vector, several (*scattered). */
static int locate(const struct op *op, const char *lo, const char *hi, struct raddr *raddr, bool *scattered)
{
    *scattered = op->shape.form == SHAPE_VECTOR && !in_one_slice(op, lo, hi, raddr);
    if (*scattered) return check_scattered(op);
    const char *first = op->shape.form == SHAPE_VECTOR ? lo : op->shape.remote; /* negative strides go below it */
    int rc = armcii_op_resolve(op->caller, remote_argument(op), op->target, first, (size_t)(hi - first), raddr);
    if (rc || lo >= raddr->lo) return rc;
    return armcii_error(ARMCI_ERR_RANGE, op->caller, remote_argument(op), "the transfer leaves the region it begins in",
                        "%p - %zu bytes of process %d, where the region begins %zu bytes before", (const void *)first,
                        (size_t)(first - lo), op->target, (size_t)(first - raddr->lo));
}

int armcii_op_start(const struct op *op, struct request *req)
{
    struct raddr raddr;
    bool scattered;
    char *lo, *hi;
    *req = (struct request){0};
    if (op->shape.bytes == 0) return 0;
    if (armcii_shape_range(&op->shape, SHAPE_REMOTE, &lo, &hi) != SHAPE_OK)
        return armcii_error(ARMCI_ERR_RANGE, op->caller, remote_argument(op), "the transfer leaves the address space", "%p",
                            (void *)op->shape.remote);
    int rc = locate(op, lo, hi, &raddr, &scattered);
    if (rc) return rc;
    return scattered ? issue_scattered_scaled(op) : armcii_op_issue(op, &raddr, lo, hi, req);
}

void armcii_op_finish(struct request *req)
{
    if (req->ticket) armcii_pending_complete_local(req->region_id, req->target, req->ticket);
    if (req->asked) armcii_client_finish(req->asked);
    armcii_copies_free(req->copies);
    *req = (struct request){0};
}

bool armcii_op_is_complete(const struct request *req)
{
    if (req->ticket && !armcii_pending_is_complete_local(req->region_id, req->target, req->ticket)) return false;
    return !req->asked || armcii_client_is_complete(req->asked);
}

bool armcii_op_test(const struct request *req)
{
    if (req->ticket) armcii_pending_complete_local(req->region_id, req->target, req->ticket);
    return armcii_op_is_complete(req);
}

void armcii_op_count(const struct op *op)
{
    armcii_stats_asked((enum stats_kind)op->verb.kind, op->target, op->shape.bytes, op->shape.nsegs);
}

/* Others reach this process's memory when it enters MPI, and what is near it loads. */
static bool windows_want_help(void)
{
    return (armcii_world->nodes > 1 && !armcii_am_on) || armcii_node->kind == SEGMENT_NONE;
}

int armcii_op_blocking(const struct op *op)
{
    struct request req;
    int rc = armcii_op_start(op, &req);
    if (rc) return rc;
    armcii_op_finish(&req);
    armcii_op_count(op);
    if (op->verb.kind == RMA_GET && windows_want_help()) armcii_progress_on_poll();
    return 0;
}
