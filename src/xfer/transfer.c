/* transfer.c - the engine: locate, order, choose a path, issue. */
#include "xfer/transfer.h"

#include <stdlib.h>

#include <armci.h>

#include "base/error.h"
#include "base/mutant.h"
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
    if (!armcii_region_locate(target, address, &found))
        return armcii_error(ARMCI_ERR_ADDRESS, caller, argument, "this address lies in no global region of the process", "%p of process %d",
                            address, target);
    if (found.rank < 0)
        return armcii_error(ARMCI_ERR_RANK, caller, "proc", "the process is no member of the region's group", "%d", target);
    if (bytes > (size_t)(found.hi - (const char *)address))
        return armcii_error(ARMCI_ERR_RANGE, caller, argument, "the transfer leaves the region it begins in",
                            "%p + %zu bytes of process %d, where the region ends %zu bytes on", address, bytes, target,
                            (size_t)(found.hi - (const char *)address));
    *place = found;
    return 0;
}

static int check_alignment(const struct transfer *t)
{
    if (t->verb.kind != RMA_ACC) return 0;
    size_t unit = armcii_element_align(t->verb.element);
    if (armcii_shape_is_aligned(&t->shape, SHAPE_REMOTE, unit)) return 0;
    return armcii_error(ARMCI_ERR_ALIGN, t->caller, remote_argument(t), "accumulate wants addresses, strides and lengths of whole elements",
                        "%p (%s)", (void *)t->shape.remote, armcii_element_name(t->verb.element));
}

/* Scaling needs a copy, a scale of one none. */
static int scale(const struct transfer *t, struct shape *shape, char **buffer)
{
    *buffer = NULL;
    if (t->verb.kind != RMA_ACC || armcii_scale_is_one(t->verb.element, t->scale) || armcii_mutant("scale-ignored")) return 0;
    char *scaled = malloc(shape->bytes);
    if (!scaled)
        return armcii_error(ARMCI_ERR_MEMORY, t->caller, "scale", "out of memory for the scaled copy", "%zu bytes", shape->bytes);
    armcii_scale_pack(t->verb.element, t->scale, shape, scaled);
    armcii_shape_set_packed(shape, scaled);
    *buffer = scaled;
    return 0;
}

/* The remote side lies in one slice: issue it. */
static void issue_located(const struct transfer *t, const struct shape *shape, const struct place *place, const char *lo, const char *hi,
                          struct operation *op)
{
    struct located located = {.verb = t->verb, .shape = shape, .place = *place};
    const struct path *path = armcii_plan(&located);
    op->ticket = armcii_pending_admit(place, t->target, t->verb, lo, hi);
    op->region_id = place->region->id;
    op->target = t->target;
    path->issue(&located);
}

/* A vector over several slices: each segment by itself, in order.  All are checked before the first moves. */
static int start_scattered(const struct transfer *t, const struct shape *shape)
{
    struct shape_iter it;
    struct segment seg;
    struct place place;
    for (armcii_shape_begin(&it, shape); armcii_shape_next(&it, &seg);) {
        int rc = armcii_transfer_locate(t->caller, remote_argument(t), t->target, seg.remote, seg.bytes, &place);
        if (rc) return rc;
    }
    for (armcii_shape_begin(&it, shape); armcii_shape_next(&it, &seg);) {
        struct shape piece;
        struct operation op = {0};
        armcii_shape_contiguous(&piece, seg.local, seg.remote, seg.bytes);
        armcii_region_locate(t->target, seg.remote, &place);
        issue_located(t, &piece, &place, seg.remote, seg.remote + seg.bytes, &op);
        armcii_transfer_finish(&op);
    }
    return 0;
}

static bool in_one_slice(const struct transfer *t, const char *lo, const char *hi, struct place *place)
{
    return armcii_region_locate(t->target, lo, place) && place->rank >= 0 && hi <= place->hi;
}

int armcii_transfer_start(const struct transfer *t, struct operation *op)
{
    struct shape shape = t->shape;
    struct place place;
    char *lo, *hi, *buffer;
    *op = (struct operation){0};
    if (shape.bytes == 0) return 0;
    if (armcii_shape_hull(&shape, SHAPE_REMOTE, &lo, &hi) != SHAPE_OK)
        return armcii_error(ARMCI_ERR_RANGE, t->caller, remote_argument(t), "the transfer leaves the address space", "%p", (void *)shape.remote);
    int rc = check_alignment(t);
    if (rc) return rc;
    bool scattered = shape.form == SHAPE_VECTOR && !in_one_slice(t, lo, hi, &place);
    if (!scattered) rc = armcii_transfer_locate(t->caller, remote_argument(t), t->target, lo, (size_t)(hi - lo), &place);
    if (!rc) rc = scale(t, &shape, &buffer);
    if (rc) return rc;
    if (scattered) {
        rc = start_scattered(t, &shape);
        free(buffer);
        return rc;
    }
    issue_located(t, &shape, &place, lo, hi, op);
    op->buffer = buffer;
    return 0;
}

void armcii_transfer_finish(struct operation *op)
{
    if (op->ticket) armcii_pending_complete_local(op->region_id, op->target, op->ticket);
    free(op->buffer);
    *op = (struct operation){0};
}

int armcii_transfer_blocking(const struct transfer *t)
{
    struct operation op;
    int rc = armcii_transfer_start(t, &op);
    if (rc == 0) armcii_transfer_finish(&op);
    return rc;
}
