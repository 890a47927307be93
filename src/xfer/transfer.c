/* transfer.c - the engine: locate, order, choose a path, issue. */
#include "xfer/transfer.h"

#include <stdlib.h>

#include <armci.h>

#include "base/error.h"
#include "base/mutant.h"
#include "base/stats.h"
#include "base/wait.h"
#include "gmr/attach.h"
#include "path/path.h"
#include "server/client.h"
#include "server/server.h"
#include "shm/host.h"
#include "team/world.h"
#include "xfer/pending.h"
#include "xfer/planner.h"

static const char *remote_argument(const struct transfer *t)
{
    if (t->shape.form == SHAPE_VECTOR) return "iov";
    return t->verb.kind == RMA_GET ? "src" : "dst";
}

int armcii_transfer_locate(const char *caller, const char *argument, int target, const void *address, size_t bytes,
                           struct place *place)
{
    struct place found;
    if (!armcii_attached_locate(target, address, bytes, &found))
        return armcii_error(ARMCI_ERR_ADDRESS, caller, argument, "this address lies in no global region of the process", "%p of process %d",
                            address, target);
    if (bytes > (size_t)(found.hi - (const char *)address))
        return armcii_error(ARMCI_ERR_RANGE, caller, argument, "the transfer leaves the region it begins in",
                            "%p + %zu bytes of process %d, where the region ends %zu bytes on", address, bytes, target,
                            (size_t)(found.hi - (const char *)address));
    *place = found;
    return 0;
}

/* Does the data change on its way?  MPI does not scale: then it goes through a copy. */
static bool is_scaled(const struct transfer *t)
{
    return t->verb.kind == RMA_ACC && t->scale && !armcii_scale_is_one(t->verb.element, t->scale) && !armcii_mutant("scale-ignored");
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
static int scale(const struct transfer *t, struct shape *scaled, struct copy **copies)
{
    struct copy *copy = armcii_copy_new(t->shape.bytes);
    if (!copy)
        return armcii_error(ARMCI_ERR_MEMORY, t->caller, "scale", "out of memory for the scaled copy", "%zu bytes", t->shape.bytes);
    armcii_scale_pack(t->verb.element, t->scale, &t->shape, copy->data);
    *scaled = t->shape;
    armcii_shape_set_packed(scaled, copy->data);
    *copies = copy;
    return 0;
}

/* Loads and stores: complete on return. */
static void carry_out(const struct transfer *t, const struct located *located, const char *lo, const char *hi)
{
    armcii_stats_travels(armcii_path_direct.counted, t->shape.bytes, t->shape.nsegs);
    armcii_pending_overtake(&located->place, t->target, t->verb, lo, hi);
    armcii_path_direct.issue(located);
}

static void issue_by_mpi(const struct transfer *t, const struct path *path, const struct located *located, const char *lo, const char *hi,
                         struct operation *op)
{
    armcii_stats_travels(path->counted, t->shape.bytes, t->shape.nsegs);
    op->ticket = armcii_pending_admit(&located->place, t->target, t->verb, lo, hi, located->calls);
    op->region_id = located->place.region->id;
    op->target = t->target;
    path->issue(located);
}

int armcii_transfer_issue_plainly(const struct transfer *t, const struct place *place, const char *lo, const char *hi, struct operation *op)
{
    struct located located = {.verb = t->verb, .scale = t->scale, .target = t->target, .shape = &t->shape, .place = *place};
    const struct path *path = armcii_plan(&located);
    struct shape scaled;
    if (path == &armcii_path_direct) {
        carry_out(t, &located, lo, hi);
        return 0;
    }
    if (path == &armcii_path_server) {
        armcii_stats_travels(path->counted, t->shape.bytes, t->shape.nsegs);
        op->asked = path->issue(&located);
        return 0;
    }
    if (is_scaled(t)) {
        int rc = scale(t, &scaled, &op->copies);
        if (rc) return rc;
        located.shape = &scaled;
        path = armcii_plan(&located); /* packed, it may be simpler */
    }
    issue_by_mpi(t, path, &located, lo, hi, op);
    return 0;
}

int (*armcii_transfer_issue)(const struct transfer *t, const struct place *place, const char *lo, const char *hi,
                             struct operation *op) = armcii_transfer_issue_plainly;

const struct path *armcii_transfer_path(const struct transfer *t, const struct place *place)
{
    struct located located = {.verb = t->verb, .scale = t->scale, .target = t->target, .shape = &t->shape, .place = *place};
    const struct path *path = armcii_plan(&located);
    if (path == &armcii_path_direct || path == &armcii_path_server || !is_scaled(t)) return path;
    struct shape packed = t->shape;
    armcii_shape_set_packed(&packed, t->shape.local);
    located.shape = &packed;
    return armcii_plan(&located);
}

/* A vector over several slices: each segment by itself, complete before the next.  Its data are scaled already. */
static void issue_scattered(const struct transfer *t)
{
    struct shape_iter it;
    struct segment seg;
    struct place place;
    for (armcii_shape_begin(&it, &t->shape); armcii_shape_next(&it, &seg);) {
        struct transfer piece = *t;
        struct operation op = {0};
        piece.scale = NULL;
        armcii_shape_contiguous(&piece.shape, seg.local, seg.remote, seg.bytes);
        armcii_attached_locate(t->target, seg.remote, seg.bytes, &place);
        armcii_transfer_issue(&piece, &place, seg.remote, seg.remote + seg.bytes, &op);
        armcii_transfer_finish(&op);
    }
}

/* Scaled as a whole before the first segment goes, since memory may run out. */
static int issue_scattered_scaled(const struct transfer *t)
{
    struct transfer scaled = *t;
    struct copy *copies = NULL;
    int rc = is_scaled(t) ? scale(t, &scaled.shape, &copies) : 0;
    if (rc) return rc;
    issue_scattered(&scaled);
    armcii_copies_free(copies);
    return 0;
}

static int check_scattered(const struct transfer *t)
{
    struct shape_iter it;
    struct segment seg;
    struct place place;
    int rc = 0;
    for (armcii_shape_begin(&it, &t->shape); rc == 0 && armcii_shape_next(&it, &seg);)
        rc = armcii_transfer_locate(t->caller, remote_argument(t), t->target, seg.remote, seg.bytes, &place);
    return rc;
}

static bool in_one_slice(const struct transfer *t, const char *lo, const char *hi, struct place *place)
{
    return armcii_region_locate(t->target, lo, place) && hi <= place->hi;
}

/* Where the remote side lies: one slice (*place), or, for a vector, several (*scattered). */
static int locate(const struct transfer *t, const char *lo, const char *hi, struct place *place, bool *scattered)
{
    *scattered = t->shape.form == SHAPE_VECTOR && !in_one_slice(t, lo, hi, place);
    if (*scattered) return check_scattered(t);
    const char *first = t->shape.form == SHAPE_VECTOR ? lo : t->shape.remote; /* negative strides go below it */
    int rc = armcii_transfer_locate(t->caller, remote_argument(t), t->target, first, (size_t)(hi - first), place);
    if (rc || lo >= place->lo) return rc;
    return armcii_error(ARMCI_ERR_RANGE, t->caller, remote_argument(t), "the transfer leaves the region it begins in",
                        "%p - %zu bytes of process %d, where the region begins %zu bytes before", (const void *)first,
                        (size_t)(first - lo), t->target, (size_t)(first - place->lo));
}

int armcii_transfer_start(const struct transfer *t, struct operation *op)
{
    struct place place;
    bool scattered;
    char *lo, *hi;
    *op = (struct operation){0};
    if (t->shape.bytes == 0) return 0;
    if (armcii_shape_hull(&t->shape, SHAPE_REMOTE, &lo, &hi) != SHAPE_OK)
        return armcii_error(ARMCI_ERR_RANGE, t->caller, remote_argument(t), "the transfer leaves the address space", "%p",
                            (void *)t->shape.remote);
    int rc = locate(t, lo, hi, &place, &scattered);
    if (rc) return rc;
    return scattered ? issue_scattered_scaled(t) : armcii_transfer_issue(t, &place, lo, hi, op);
}

void armcii_transfer_finish(struct operation *op)
{
    if (op->ticket) armcii_pending_complete_local(op->region_id, op->target, op->ticket);
    if (op->asked) armcii_client_finish(op->asked);
    armcii_copies_free(op->copies);
    *op = (struct operation){0};
}

bool armcii_transfer_is_complete(const struct operation *op)
{
    if (op->ticket && !armcii_pending_is_complete_local(op->region_id, op->target, op->ticket)) return false;
    return !op->asked || armcii_client_is_complete(op->asked);
}

bool armcii_transfer_test(const struct operation *op)
{
    if (op->ticket) armcii_pending_complete_local(op->region_id, op->target, op->ticket);
    return armcii_transfer_is_complete(op);
}

void armcii_transfer_count(const struct transfer *t)
{
    armcii_stats_asked((enum stats_kind)t->verb.kind, t->target, t->shape.bytes, t->shape.nsegs);
}

/* Others reach this process's memory when it enters MPI, and what is near it loads. */
static bool windows_want_help(void)
{
    return (armcii_world->hosts > 1 && !armcii_server_on) || armcii_host->kind == SEGMENT_NONE;
}

int armcii_transfer_blocking(const struct transfer *t)
{
    struct operation op;
    int rc = armcii_transfer_start(t, &op);
    if (rc) return rc;
    armcii_transfer_finish(&op);
    armcii_transfer_count(t);
    if (t->verb.kind == RMA_GET && windows_want_help()) armcii_wait_serve_between_looks();
    return 0;
}
