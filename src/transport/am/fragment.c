/* fragment.c - transfers in pieces that a message holds, or that MPI transfers without a copy. */
#include "transport/am/fragment.h"

#include "mpi/datatype.h"
#include "mpi/quirks.h"
#include "transport/am/proto.h"

const struct shape *armcii_am_vector_to_strided(const struct shape *s, struct shape *patch)
{
    if (!armcii_shape_to_strided(s, patch)) return s;
    return patch->form == SHAPE_CONTIGUOUS || patch->count[0] <= AM_FRAGMENT_MAX ? patch : s;
}

static void skip_empty_runs(const struct shape *s, struct am_cursor *c)
{
    while (c->run < s->nruns && (s->runs[c->run].bytes == 0 || c->segment == s->runs[c->run].n)) {
        c->run++;
        c->segment = 0;
    }
}

static size_t min(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* A segment too long for a request with others: whole, or in eager fragments. */
static void fragment_long_segment(const struct vector_run *run, struct am_cursor *c,
                                  struct shape *fragment)
{
    size_t limit =
        c->data_in_request && run->bytes <= AM_RNDV_MIN ? c->packed_max : c->fragment_max;
    size_t rest = run->bytes - c->offset, bytes = min(rest, limit);
    armcii_shape_contiguous(fragment, (char *)run->local[c->segment] + c->offset,
                            (char *)run->remote[c->segment] + c->offset, bytes);
    c->offset = bytes == rest ? 0 : c->offset + bytes;
    c->segment += bytes == rest;
}

/* Bytes that a segment of the run takes in the request. */
static size_t request_bytes(const struct am_cursor *c, const struct vector_run *run)
{
    return sizeof(void *) + (c->data_in_request ? run->bytes : 0);
}

/* The segments at the cursor that fit in `data` bytes of data and `request` bytes of the request.
 */
static struct vector_run take_segments(const struct vector_run *run, struct am_cursor *c,
                                       size_t data, size_t request)
{
    size_t n = run->n - c->segment;
    n = min(n, data / run->bytes);
    n = min(n, request / request_bytes(c, run));
    struct vector_run taken = {run->local + c->segment, run->remote + c->segment, run->bytes, n};
    c->segment += n;
    return taken;
}

/* True if a segment, with its address and run_head, is too long for a packed fragment. */
static bool is_long_segment(const struct am_cursor *c, const struct vector_run *run)
{
    size_t head = c->data_in_request ? sizeof(struct am_run_head) + sizeof(void *) : 0;
    return run->bytes + head > c->packed_max;
}

static bool vector_fragment(const struct shape *s, struct am_cursor *c,
                            struct vector_run runs[AM_RUNS], struct shape *fragment)
{
    size_t n = 0, data = c->packed_max, request = armcii_am_limits->eager_max;
    for (skip_empty_runs(s, c); c->run < s->nruns && n < AM_RUNS; skip_empty_runs(s, c)) {
        const struct vector_run *run = &s->runs[c->run];
        bool is_long = is_long_segment(c, run);
        if (is_long && n > 0) break;
        if (is_long) {
            fragment_long_segment(run, c, fragment);
            return true;
        }
        if (request < sizeof(struct am_run_head)) break;
        request -= sizeof(struct am_run_head);
        runs[n] = take_segments(run, c, data, request);
        if (runs[n].n == 0) break;
        data -= runs[n].n * run->bytes;
        request -= runs[n].n * request_bytes(c, run);
        n++;
    }
    return n > 0 && armcii_shape_vector(fragment, runs, n) == SHAPE_OK;
}

/* True if the shape is safe without a test for overlap. Replies to a get have no order, so it is
 * one fragment; requests of a put are in order. */
static bool stays_in_order(const struct shape *s, enum shape_side written)
{
    enum { SEGMENTS = 1000, RUNS = 8 };
    size_t max = written == SHAPE_LOCAL ? armcii_am_limits->eager_max : AM_RNDV_MIN;
    if (s->form != SHAPE_VECTOR) return s->bytes <= max;
    return s->nsegs <= SEGMENTS && s->nruns <= RUNS && s->bytes + s->nsegs * sizeof(void *) <= max;
}

/* Fragments arrive in any order only where no byte of that side is written twice. */
static bool may_arrive_in_any_order(const struct shape *s, enum shape_side written)
{
    return stays_in_order(s, written) || s->form == SHAPE_CONTIGUOUS ||
           armcii_shape_is_disjoint(s, written);
}

bool armcii_am_can_zcopy(const struct shape *s, enum shape_side side)
{
    for (int i = 0; i < s->levels; i++)
        if (s->stride[side][i] < 0) return false;
    return s->form == SHAPE_STRIDED && armcii_datatype_side_is_supported(s, side);
}

bool armcii_am_sends_in_place(const struct shape *s, bool in_place_at_server)
{
    if (s->form == SHAPE_CONTIGUOUS) return true;
    return armcii_quirks->datatype_sends_fast && armcii_am_can_zcopy(s, SHAPE_LOCAL) &&
           (!in_place_at_server || armcii_am_can_zcopy(s, SHAPE_REMOTE));
}

/* Fragments of about equal length, of up to AM_PACKED_MAX bytes. */
static size_t even_fragment(const struct shape *s)
{
    const size_t fragments = s->bytes / AM_PACKED_MAX + 1;
    return (s->bytes / fragments / SHAPE_SPLIT_UNIT + 1) * SHAPE_SPLIT_UNIT;
}

/* Bytes of a fragment: AM_ZCOPY_MAX if it is zero-copy. Replies are packed: a derived datatype is
 * not faster. */
static size_t fragment_max_of(const struct shape *s, enum shape_side written, size_t packed)
{
    if (s->form == SHAPE_VECTOR) return AM_ZCOPY_MAX;
    if (s->bytes <= AM_RNDV_MIN) return packed;
    if (s->form == SHAPE_CONTIGUOUS) return AM_ZCOPY_MAX;
    if (written == SHAPE_LOCAL) return packed;
    return armcii_am_sends_in_place(s, true) ? AM_ZCOPY_MAX : even_fragment(s);
}

/* Requests are eager: a server does not wait for the rest of one. So are moderate replies: several
 * eager messages arrive before one rendezvous is over. */
static size_t packed_max_of(const struct shape *s, enum shape_side written, bool any_order)
{
    if (written == SHAPE_REMOTE || s->bytes <= AM_RNDV_MIN) return armcii_am_limits->eager_max;
    return s->form == SHAPE_VECTOR || !any_order ? AM_FRAGMENT_MAX : AM_REPLY_MAX;
}

void armcii_am_fragment_begin(struct am_cursor *c, const struct shape *s, enum shape_side written)
{
    bool any_order = may_arrive_in_any_order(s, written);
    size_t packed = packed_max_of(s, written, any_order);
    *c =
        (struct am_cursor){.fragment_max = any_order ? fragment_max_of(s, written, packed) : packed,
                           .packed_max = packed,
                           .data_in_request = written == SHAPE_REMOTE,
                           .in_order = !any_order};
}

void armcii_am_fragment_begin_accumulate(struct am_cursor *c, const struct shape *s)
{
    const size_t packed = armcii_am_limits->eager_max;
    *c = (struct am_cursor){.fragment_max = s->bytes > AM_RNDV_MIN ? even_fragment(s) : packed,
                            .packed_max = packed,
                            .data_in_request = true};
}

bool armcii_am_fragment_next(const struct shape *s, struct am_cursor *c,
                             struct vector_run runs[AM_RUNS], struct shape *fragment)
{
    if (s->form == SHAPE_VECTOR) return vector_fragment(s, c, runs, fragment);
    return armcii_shape_chunk(s, c->fragment_max, &c->position, fragment);
}
