/* aggregate.c - lists of small requests that become vector transfers. */
#include "core/aggregate.h"

#include <stdlib.h>

#include "base/log.h"

static struct aggregate none; /* empty */
struct aggregate *armcii_aggregate_recent[AGGREGATE_RECENT] = {[0 ... AGGREGATE_RECENT - 1] =
                                                                   &none};

void armcii_aggregate_forget(void)
{
    for (int i = 0; i < AGGREGATE_RECENT; i++)
        armcii_aggregate_recent[i] = &none;
}

/* ---- what a list takes ---- */

static const struct transport *transport_of(const struct op *op, const struct raddr *raddr)
{
    return armcii_route_transport(raddr->route, op->verb, &op->shape);
}

static bool joins(const struct op *op, const struct raddr *raddr)
{
    const struct transport *t = transport_of(op, raddr);
    return !t->joins || t->joins(op->verb);
}

bool armcii_aggregate_accepts(const struct op *op, const struct raddr *raddr)
{
    const struct shape *s = &op->shape;
    if (raddr->is_assumed) return false; /* lists of two such slices may overlap */
    if (!transport_of(op, raddr)->complete || s->bytes > AGGREGATE_REQUEST_BYTES) return false;
    if (s->form == SHAPE_CONTIGUOUS) return true;
    return s->nsegs <= (s->form == SHAPE_STRIDED ? AGGREGATE_ROWS : AGGREGATE_SEGMENTS) &&
           joins(op, raddr);
}

bool armcii_aggregate_matches(const struct aggregate *a, const struct op *op,
                              const struct raddr *raddr)
{
    const struct aggregate_key key = {op->target, op->verb, op->scale};
    return armcii_aggregate_is_like(a, &key) && a->raddr.region == raddr->region &&
           a->raddr.lo == raddr->lo;
}

/* ---- runs ---- */

static size_t bytes_left(const struct aggregate *a)
{
    return a->bytes_left - (a->n - a->run_begin) * a->bytes;
}

/* How many segments there may be, of the length of the last run. */
static void set_limit(struct aggregate *a)
{
    const size_t more = bytes_left(a) / a->bytes;
    a->limit = more < a->room - a->n ? a->n + more : a->room;
}

static void set_slice(struct aggregate *a)
{
    a->lo = (uintptr_t)a->raddr.lo;
    a->last = (uintptr_t)a->raddr.hi - a->lo - a->bytes;
}

/* Let segments of so many bytes follow, which is at most the slice; there is room for a run. */
static void begin_run(struct aggregate *a, size_t bytes)
{
    if (a->run_count > 0) {
        a->runs[a->run_count - 1].n = a->n - a->run_begin;
        a->bytes_left = bytes_left(a);
    }
    a->runs[a->run_count++].bytes = a->bytes = bytes;
    a->run_begin = a->n;
    set_limit(a);
    set_slice(a);
}

bool armcii_aggregate_has_room(const struct aggregate *a, const struct op *op,
                               const struct raddr *raddr)
{
    if (a->n == 0) return true;
    return a->n + op->shape.nsegs <= AGGREGATE_SEGMENTS && op->shape.bytes <= bytes_left(a) &&
           armcii_aggregate_matches(a, op, raddr);
}

/* ---- fast path ---- */

/* Prepare for n segments of so many bytes; false: there is no room. */
static bool prepare(struct aggregate *a, size_t bytes, size_t n)
{
    if ((n > 1 && !a->joins) || n * bytes > AGGREGATE_REQUEST_BYTES) return false;
    if (bytes != a->bytes) {
        if (a->run_count == a->run_room || bytes > (size_t)(a->raddr.hi - a->raddr.lo))
            return false;
        begin_run(a, bytes);
    }
    return a->n + n <= a->limit;
}

bool armcii_aggregate_append_rows(struct aggregate *a, const struct aggregate_rows *r)
{
    const uintptr_t first = (uintptr_t)r->remote - a->lo,
                    end = first + (uintptr_t)r->remote_stride * (r->n - 1);
    if (!prepare(a, r->bytes, r->n) || first > a->last || end > a->last) return false;
    void **to_local = a->local + a->n, **to_remote = a->remote + a->n;
    char *local = r->local, *remote = r->remote;
    for (size_t i = 0; i < r->n; i++, local += r->local_stride, remote += r->remote_stride) {
        to_local[i] = local;
        to_remote[i] = remote;
    }
    a->n += r->n;
    return true;
}

bool armcii_aggregate_append_list(struct aggregate *a, const struct vector_run *segments)
{
    if (!prepare(a, segments->bytes, segments->n)) return false;
    void **to_local = a->local + a->n, **to_remote = a->remote + a->n;
    for (size_t i = 0; i < segments->n; i++) {
        to_local[i] = segments->local[i];
        to_remote[i] = segments->remote[i];
        if ((uintptr_t)to_remote[i] - a->lo > a->last) return false;
    }
    a->n += segments->n;
    return true;
}

/* ---- any request ---- */

static void make_room(struct aggregate *a, size_t segments)
{
    const size_t needed = a->n + segments;
    if (needed > a->room) {
        size_t room = 2 * a->room > needed ? 2 * a->room : needed < 16 ? 16 : needed;
        a->room = room < AGGREGATE_SEGMENTS ? room : AGGREGATE_SEGMENTS;
        a->local = realloc(a->local, a->room * sizeof *a->local);
        a->remote = realloc(a->remote, a->room * sizeof *a->remote);
        if (!a->local || !a->remote)
            armcii_fatal("out of memory for %zu aggregated segments", a->room);
        if (a->n > 0) set_limit(a);
    }
    if (a->run_count < a->run_room) return;
    a->run_room = a->run_room ? 2 * a->run_room : 4;
    a->runs = realloc(a->runs, a->run_room * sizeof *a->runs);
    if (!a->runs) armcii_fatal("out of memory for %zu aggregated lengths", a->run_room);
}

static void *copy_bytes(struct aggregate *a, const void *bytes, size_t n)
{
    struct buffer *v = armcii_buffer_new(n);
    if (!v) armcii_fatal("out of memory for an aggregated value");
    v->next = a->copies;
    a->copies = v;
    return memcpy(v->data, bytes, n);
}

/* The first request of a list. */
static void begin(struct aggregate *a, const armci_hdl_t *handle, const struct op *op,
                  const struct raddr *raddr)
{
    a->course = armcii_aggregate_course(op->verb.kind, op->target);
    a->cookie = armcii_aggregate_cookie(handle);
    a->target = op->target;
    a->verb = op->verb;
    a->caller = op->caller;
    a->bytes_left = AGGREGATE_BYTES;
    a->bytes = a->run_count = a->run_begin = 0;
    a->joins = joins(op, raddr);
    if (op->verb.kind != OP_ACC) return;
    memcpy(a->scale, op->scale, armcii_elements[op->verb.element].size);
}

void armcii_aggregate_add(struct aggregate *a, const armci_hdl_t *handle, const struct op *op,
                          const struct raddr *raddr, bool copy)
{
    struct shape_iter it;
    struct segment seg;
    if (a->n == 0) begin(a, handle, op, raddr);
    a->raddr = *raddr;
    a->generation = armcii_lookup_generation;
    make_room(a, op->shape.nsegs);
    for (armcii_shape_begin(&it, &op->shape); armcii_shape_next(&it, &seg);) {
        make_room(a, 1);
        if (seg.bytes != a->bytes) begin_run(a, seg.bytes);
        a->local[a->n] = copy ? copy_bytes(a, seg.local, seg.bytes) : seg.local;
        a->remote[a->n++] = seg.remote;
    }
    set_slice(a);
    *armcii_aggregate_recent_of(a->course) = a;
}

bool armcii_aggregate_make_op(struct aggregate *a, struct op *op)
{
    size_t at = 0;
    if (a->n == 0) return false;
    a->runs[a->run_count - 1].n = a->n - a->run_begin;
    for (size_t r = 0; r < a->run_count; r++) {
        a->runs[r].local = a->local + at;
        a->runs[r].remote = a->remote + at;
        at += a->runs[r].n;
    }
    op->caller = a->caller;
    op->verb = a->verb;
    op->scale = a->scale;
    op->target = a->target;
    op->flag = NULL;
    op->more = false;
    armcii_shape_vector(&op->shape, a->runs, a->run_count);
    armcii_shape_range(&op->shape, SHAPE_REMOTE, &op->lo, &op->hi);
    return true;
}

void armcii_aggregate_recycle(struct aggregate *sent, struct aggregate *a)
{
    sent->n = sent->limit = 0;
    sent->copies = NULL;
    if (a->room == 0)
        *a = *sent;
    else
        armcii_aggregate_free(sent);
}

void armcii_aggregate_free(struct aggregate *a)
{
    armcii_buffers_free(a->copies);
    free(a->local);
    free(a->remote);
    free(a->runs);
    *a = (struct aggregate){0};
}
