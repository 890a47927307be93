/* client.c - operations as eager and rendezvous requests, and their replies. */

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/lock.h"
#include "mpi/world.h"
#include "progress/loop.h"
#include "transport/am/endpoint.h"
#include "transport/am/outstanding.h"
#include "transport/am/am.h"
#include "transport/am/fragment.h"
#include "transport/am/proto.h"

static uint64_t last_id;

uint64_t armcii_client_last_id(void)
{
    return last_id;
}

__attribute__((always_inline)) static inline void append_request(struct endpoint *e,
                                                                 const struct am_request_header *r,
                                                                 const struct shape *s,
                                                                 bool acknowledge)
{
    const size_t length = armcii_am_request_length(r, s);
    char *to = armcii_endpoint_append(e, length, acknowledge);
    armcii_am_encode(r, s, length, to);
}

/* The same for a request without layout and data. A fence waits for unlocks. */
__attribute__((always_inline)) static inline void append_header(struct endpoint *e,
                                                                const struct am_request_header *h)
{
    memcpy(armcii_endpoint_append(e, sizeof *h, h->kind == AM_UNLOCK), h, sizeof *h);
}

/* ---- order ---- */

__attribute__((noinline)) static void wait_for_conflicting(const struct endpoint *e, int owner,
                                                           struct op_verb verb, const char *lo,
                                                           const char *hi)
{
    struct backoff p = {0};
    while (armcii_rndv_conflicts(e->rndvs, owner, verb, lo, hi))
        armcii_am_progress(&p);
}

/* Rendezvous data are not ordered with later requests. */
static inline void wait_for_rndv(const struct endpoint *e, int owner, struct op_verb verb,
                                 const char *lo, const char *hi)
{
    if (e->rndvs) wait_for_conflicting(e, owner, verb, lo, hi);
}

/* ---- outstanding operations ---- */

static int new_tag(void)
{
    struct backoff p = {0};
    int tag;
    while (!(tag = armcii_tag_alloc()))
        armcii_am_progress(&p);
    return tag;
}

__attribute__((noinline)) static struct outstanding *wait_for_outstanding(uint64_t id, int owner)
{
    struct backoff p = {0};
    struct outstanding *o;
    do {
        armcii_endpoints_send();
        armcii_am_progress(&p);
    } while (!(o = armcii_outstanding_new(id, owner)));
    return o;
}

static inline struct outstanding *new_outstanding(uint64_t id, int owner)
{
    struct outstanding *o = armcii_outstanding_new(id, owner);
    return o ? o : wait_for_outstanding(id, owner);
}

/* Channels of requests. The others have the id of their operation, which one of their fragments is
 * outstanding with; short gets have their number among those of the endpoint. */
enum { OTHERS, SHORT_GETS };

/* Wait for the short gets up to that number. */
__attribute__((noinline)) static void wait_for_gets(struct endpoint *e, uint64_t number)
{
    struct backoff p = {0};
    if (e->gets.done < number && e->open) armcii_endpoint_send(e);
    while (e->gets.done < number)
        armcii_am_progress(&p);
}

__attribute__((noinline)) static void wait_for_operation(uint64_t id)
{
    struct backoff p = {0};
    while (armcii_outstanding_has(id))
        armcii_am_progress(&p);
}

void armcii_client_wait(const struct request *req)
{
    if (req->channel == SHORT_GETS)
        wait_for_gets(armcii_endpoint(armcii_world->node_of[req->target]), req->id);
    else
        wait_for_operation(req->id);
}

bool armcii_client_is_complete(const struct request *req)
{
    if (req->channel != SHORT_GETS) return !armcii_outstanding_has(req->id);
    return armcii_endpoint(armcii_world->node_of[req->target])->gets.done >= req->id;
}

/* ---- put, get and accumulate ---- */

static char *alloc_buffer(size_t bytes)
{
    struct backoff p = {0};
    char *buffer;
    while (!(buffer = armcii_bufpool_alloc(&armcii_outstanding_buffers, bytes))) {
        armcii_endpoints_send();
        armcii_am_progress(&p);
    }
    return buffer;
}

/* The flag behind all data of the put, which comes with a request for data received in place. The
 * server sets it atomically, so that an unaligned flag needs a separate request. */
static struct am_flag carry_flag(const struct op *op, const struct shape *s)
{
    if (!op->flag || s->bytes < op->shape.bytes) return (struct am_flag){0};
    if ((uintptr_t)op->flag->address % sizeof(int) != 0) return (struct am_flag){0};
    op->flag->is_carried = true;
    return (struct am_flag){(uint64_t)(uintptr_t)op->flag->address, op->flag->value};
}

/* A put or an accumulate. */
static inline struct am_request_header update_request(const struct op *op)
{
    struct am_request_header r = {.kind = AM_PUT, .owner = op->target};
    if (op->verb.kind == OP_PUT) return r;
    const struct element_type *e = &armcii_elements[op->verb.element];
    r.kind = AM_ACC;
    r.element = (uint8_t)op->verb.element;
    memcpy(r.scale, op->scale ? op->scale : e->one, e->size);
    return r;
}

/* True if what follows at once sends the open message, too. */
static inline bool is_followed(const struct op *op)
{
    return op->flag || op->more;
}

/* An eager put or accumulate, or a fragment of one. */
static inline void append_eager(struct endpoint *e, const struct op *op, const struct shape *s,
                                bool acknowledge)
{
    const struct am_request_header r = update_request(op);
    append_request(e, &r, s, acknowledge);
}

/* The server receives an accumulate, and what is packed here, in a buffer. acknowledge: what the
 * client has sent before the request; the data have an acknowledgement of their own. */
static void send_rndv(struct endpoint *e, const struct op *op, const struct shape *s, uint64_t id,
                      bool acknowledge)
{
    struct am_request_header r = update_request(op);
    const bool is_put = r.kind == AM_PUT, is_packed = !armcii_am_sends_in_place(s, is_put);
    struct outstanding *o = new_outstanding(id, r.owner);
    MPI_Request request;
    struct shape packed;
    const struct shape *data = s;
    if (is_packed) {
        armcii_shape_contiguous(&packed, alloc_buffer(s->bytes), s->remote, s->bytes);
        armcii_shape_pack(s, packed.local);
        o->buffer = packed.local;
        data = &packed;
    }
    r.data = is_put && !is_packed ? AM_IN_PLACE : AM_BUFFERED;
    r.tag = (uint16_t)new_tag();
    struct rndv rndv = {.id = id, .owner = r.owner, .tag = r.tag, .verb = op->verb};
    const uint32_t bytes = armcii_am_rndv_size(s->bytes);
    struct am_flag flag = {0};
    if (r.data == AM_IN_PLACE) flag = carry_flag(op, s);
    rndv.flag = (char *)(uintptr_t)flag.address;
    if (is_put) memcpy(r.scale, &flag, sizeof flag);
    armcii_endpoint_reserve(e, armcii_am_request_length(&r, s)); /* others may send */
    r.waits = !armcii_endpoint_fits_window(e, bytes);
    if (r.waits) MPI_Irecv(NULL, 0, MPI_BYTE, e->server, r.tag, armcii_am_comm, &request);
    armcii_shape_range(s, SHAPE_REMOTE, &rndv.lo, &rndv.hi);
    append_request(e, &r, s, acknowledge);
    armcii_endpoint_send_rndv(e, &rndv, r.waits ? 0 : bytes);
    armcii_outstanding_set_send(o, data, e->server, r.waits ? r.tag + AM_TAG_DATA : 0);
    if (!r.waits)
        armcii_am_send_zcopy((struct am_zcopy){data->local, data, SHAPE_LOCAL}, e->server,
                             r.tag + AM_TAG_DATA, &request);
    armcii_outstanding_start(o, request, r.waits ? 0 : AM_SENDS);
}

/* Zero-copy where the data are contiguous, or where no buffer is free: the call does not wait for
 * earlier gets. */
static bool use_zcopy(const struct shape *fragment)
{
    if (fragment->form == SHAPE_CONTIGUOUS) return true;
    return !armcii_bufpool_can_alloc(&armcii_outstanding_buffers, fragment->bytes) &&
           armcii_am_can_zcopy(fragment, SHAPE_LOCAL);
}

/* The reply comes in a reply bundle of the server, with others. */
static void get_short(struct endpoint *e, int owner, const struct shape *s)
{
    struct outstanding *o = new_outstanding(0, owner);
    armcii_outstanding_set_unpack(o, s, NULL);
    append_request(e, &(struct am_request_header){.kind = AM_GET, .owner = owner}, s, false);
    armcii_endpoint_add_get(e, o);
}

static void get(struct endpoint *e, int owner, const struct shape *s, uint64_t id)
{
    struct outstanding *o = new_outstanding(id, owner);
    MPI_Request reply;
    if (!use_zcopy(s)) armcii_outstanding_set_unpack(o, s, alloc_buffer(s->bytes));
    o->tag = new_tag();
    if (o->buffer)
        MPI_Irecv(o->buffer, (int)s->bytes, MPI_BYTE, e->server, o->tag, armcii_am_comm, &reply);
    else
        armcii_am_receive_zcopy((struct am_zcopy){s->local, s, SHAPE_LOCAL}, e->server, o->tag,
                                &reply);
    const struct am_request_header r = {.kind = AM_GET, .owner = owner, .tag = (uint16_t)o->tag};
    armcii_outstanding_start(o, reply, s->bytes);
    append_request(e, &r, s, false);
}

static bool is_short_get(const struct op *op)
{
    return op->verb.kind == OP_GET && armcii_am_is_short_reply(op->shape.bytes);
}

/* The last acknowledgement is that of all eager fragments before it, since a server serves the
 * requests of a client in order. That of a flag comes later. True if a rendezvous is outstanding
 * under that id. */
static bool send_fragments(struct endpoint *e, const struct op *op, uint64_t id)
{
    struct shape patch, fragment;
    const struct shape *s = armcii_am_vector_to_strided(&op->shape, &patch);
    struct am_cursor cursor;
    struct vector_run runs[AM_RUNS];
    bool outstanding = false, owes = false; /* owes: an eager fragment is not to be acknowledged */
    if (op->verb.kind == OP_ACC)
        armcii_am_fragment_begin_accumulate(&cursor, s);
    else
        armcii_am_fragment_begin(&cursor, s, SHAPE_REMOTE);
    while (armcii_am_fragment_next(s, &cursor, runs, &fragment)) {
        if (fragment.bytes > armcii_am_limits->eager_max) {
            send_rndv(e, op, &fragment, id, owes);
            outstanding = true;
            owes = false;
        } else {
            append_eager(e, op, &fragment, false);
            owes = true;
        }
    }
    if (owes) {
        armcii_endpoint_append(e, 0, !op->flag);
        if (!is_followed(op)) armcii_endpoint_send_if_due(e);
    }
    return outstanding;
}

/* The get is outstanding then, under that id unless it is short. */
static inline void get_fragment(struct endpoint *e, const struct op *op, const struct shape *s,
                                uint64_t id)
{
    if (is_short_get(op))
        get_short(e, op->target, s);
    else
        get(e, op->target, s, id);
}

static void get_fragments(struct endpoint *e, const struct op *op, uint64_t id)
{
    struct shape patch, fragment;
    const struct shape *s = armcii_am_vector_to_strided(&op->shape, &patch);
    struct am_cursor cursor;
    struct vector_run runs[AM_RUNS];
    armcii_am_fragment_begin(&cursor, s, SHAPE_LOCAL);
    while (armcii_am_fragment_next(s, &cursor, runs, &fragment)) {
        get_fragment(e, op, &fragment, id);
        if (!cursor.in_order) continue;
        armcii_endpoint_send(e);
        if (is_short_get(op))
            wait_for_gets(e, e->gets.started);
        else
            wait_for_operation(id);
    }
}

/* True if op is one fragment, which needs neither a cursor nor a second shape. */
static inline bool is_whole(const struct op *op)
{
    return op->shape.form != SHAPE_VECTOR && op->shape.bytes <= armcii_am_limits->eager_max;
}

/* True if a rendezvous is outstanding. */
static inline bool send_data(struct endpoint *e, const struct op *op, uint64_t id)
{
    if (!is_whole(op)) return send_fragments(e, op, id);
    append_eager(e, op, &op->shape, !op->flag);
    if (!is_followed(op)) armcii_endpoint_send_if_due(e);
    return false;
}

/* The server applies eager requests in order, but receives rendezvous data later. */
static void put_flag(struct endpoint *e, const struct op *op)
{
    struct backoff p = {0};
    struct shape s;
    const uint64_t last = last_id;
    while (armcii_rndv_has(e->rndvs, last))
        armcii_am_progress(&p);
    armcii_shape_contiguous(&s, &op->flag->value, op->flag->address, sizeof op->flag->value);
    append_request(e, &(struct am_request_header){.kind = AM_PUT, .owner = op->target}, &s, true);
    if (armcii_endpoint_send_urgent(e)) armcii_progress_thread_wake_if_asleep();
    armcii_endpoint_send_if_due(e); /* bounds a stream of flags */
    op->flag->is_carried = true;
}

/* Data and flag go in one message where they fit. */
__attribute__((noinline)) static bool send_with_flag(struct endpoint *e, const struct op *op,
                                                     uint64_t id)
{
    armcii_fence_others(&armcii_am, op->target);
    const bool outstanding = send_data(e, op, id);
    if (outstanding) armcii_endpoint_send(e);
    if (!op->flag->is_carried) put_flag(e, op);
    return outstanding;
}

static inline void start_get(struct endpoint *e, const struct op *op, uint64_t id,
                             struct request *req)
{
    if (is_whole(op))
        get_fragment(e, op, &op->shape, id);
    else
        get_fragments(e, op, id);
    req->transport = &armcii_am;
    if (is_short_get(op)) {
        req->id = e->gets.started;
        req->channel = SHORT_GETS;
        req->target = op->target;
        armcii_endpoint_send_gets_if_due(e);
    } else {
        req->id = id;
        armcii_endpoint_send(e);
    }
}

/* A put or an accumulate. */
static inline void start_update(struct endpoint *e, const struct op *op, uint64_t id,
                                struct request *req)
{
    const bool outstanding = op->flag ? send_with_flag(e, op, id) : send_data(e, op, id);
    if (outstanding) {
        armcii_endpoint_send(e); /* eager fragments behind rendezvous ones, too */
        req->transport = &armcii_am;
        req->id = id;
    }
    if (!op->more) armcii_endpoint_push(e);
}

int armcii_client_start(const struct op *op, const struct raddr *raddr, struct request *req)
{
    struct endpoint *e = armcii_endpoint(armcii_world->node_of[op->target]);
    const uint64_t id = ++last_id;
    (void)raddr;
    wait_for_rndv(e, op->target, op->verb, op->lo, op->hi);
    armcii_count(PATH_SERVER);
    if (op->verb.kind == OP_GET)
        start_get(e, op, id, req);
    else
        start_update(e, op, id, req);
    return 0;
}

/* ---- local completion ---- */

/* The short gets from a server, or from all (-1). */
static void wait_for_all_gets(int server)
{
    for (struct endpoint *e = armcii_endpoints_begin_walk(); e; e = e->next_dirty)
        if (server < 0 || server == e->server) wait_for_gets(e, e->gets.started);
    armcii_endpoints_end_walk();
}

void armcii_client_wait_all(int owner)
{
    struct backoff p = {0};
    const uint64_t now = last_id;
    if (owner < 0 && armcii_outstanding_any()) armcii_endpoints_send(); /* with short gets */
    wait_for_all_gets(owner < 0 ? -1 : armcii_world->node_of[owner]);
    while (armcii_outstanding_to(owner, now))
        armcii_am_progress(&p);
}

/* ---- round trips ---- */

/* Wait for the reply, of so many bytes, to a request that is on its way: its receive is posted
 * now. */
static void wait_for_reply(struct endpoint *e, struct am_shown shown, void *reply, size_t bytes,
                           int tag)
{
    MPI_Request request;
    MPI_Irecv(reply, (int)bytes, MPI_BYTE, e->server, tag, armcii_am_comm, &request);
    armcii_endpoints_receive(&request, bytes);
    armcii_endpoint_note_reply(e, shown);
    armcii_tag_free(tag);
}

long armcii_client_rmw(const struct raddr *raddr, int target, enum rmw_update update, size_t bytes,
                       void *remote, long operand)
{
    long old;
    struct endpoint *e = armcii_endpoint(armcii_world->node_of[target]);
    (void)raddr;
    wait_for_rndv(e, target, (struct op_verb){.kind = OP_PUT}, remote, (char *)remote + bytes);
    int tag = new_tag();
    struct am_request_header h = armcii_am_header(AM_RMW, target, remote, tag);
    h.element = (uint8_t)update;
    h.bytes = bytes;
    memcpy(h.scale, &operand, sizeof operand);
    append_header(e, &h);
    armcii_count(PATH_SERVER);
    wait_for_reply(e, armcii_endpoint_send_request(e, true), &old, sizeof old, tag);
    return old;
}

/* ---- mutexes ---- */

/* Append the request to the open message of the owner's server. */
static inline struct endpoint *append_mutex(enum am_kind kind, int owner, void *mutex, int tag)
{
    struct endpoint *e = armcii_endpoint(armcii_world->node_of[owner]);
    const struct am_request_header h = armcii_am_header(kind, owner, mutex, tag);
    append_header(e, &h);
    return e;
}

static int request_mutex(enum am_kind kind, int owner, void *mutex)
{
    int granted, tag = new_tag();
    struct endpoint *e = append_mutex(kind, owner, mutex, tag);
    armcii_endpoint_expect_unlock(e);
    const struct am_shown shown = armcii_endpoint_send_request(e, kind == AM_TRYLOCK);
    armcii_endpoints_request_acks(e); /* the next unlock waits for them */
    wait_for_reply(e, shown, &granted, sizeof granted, tag);
    if (granted < (kind == AM_LOCK) || granted > 1)
        armcii_fatal("rank %d sent an invalid reply: %d about a mutex", e->server, granted);
    return granted;
}

void armcii_client_lock(int owner, void *mutex)
{
    request_mutex(AM_LOCK, owner, mutex);
}

bool armcii_client_trylock(int owner, void *mutex)
{
    return request_mutex(AM_TRYLOCK, owner, mutex);
}

void armcii_client_unlock(int owner, void *mutex)
{
    struct endpoint *e = append_mutex(AM_UNLOCK, owner, mutex, 0);
    armcii_endpoint_send_unlock(e);
    armcii_endpoint_push(e);
}
