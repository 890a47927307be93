/* client.c - operations as eager and rendezvous requests, and their replies. */
#include "transport/am/am.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/lock.h"
#include "mpi/world.h"

static uint64_t last_id;

static void append_request(struct endpoint *e, const struct am_request *r, const struct shape *s)
{
    char *to = armcii_endpoint_append(e, armcii_am_request_length(r->kind, s),
                                      armcii_am_has_data(r->kind));
    armcii_am_encode(r, s, to);
}

/* ---- order ---- */

/* Rendezvous data are not ordered with later requests. */
static void wait_for_rndv(const struct remote *to, const struct shape *s)
{
    char *lo, *hi;
    struct backoff p = {0};
    if (!armcii_endpoints_have_unsent()) return;
    armcii_shape_range(s, SHAPE_REMOTE, &lo, &hi);
    while (armcii_rndv_overlaps(to->owner, lo, hi))
        armcii_am_progress(&p);
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

static struct outstanding *new_outstanding(uint64_t id, int owner)
{
    struct backoff p = {0};
    struct outstanding *o;
    while (!(o = armcii_outstanding_new(id, owner))) {
        armcii_endpoints_send();
        armcii_am_progress(&p);
    }
    return o;
}

/* Local completion is reached; remote completion proceeds without the caller. */
static void push(void)
{
    if (armcii_endpoints_have_unsent() || !armcii_endpoints_have_thread) armcii_endpoints_push();
}

void armcii_client_wait(uint64_t id)
{
    struct backoff p = {0};
    const struct outstanding *o = armcii_outstanding_find(id);
    if (o && o->is_short) armcii_endpoint_send(armcii_endpoint(o->server));
    while (armcii_outstanding_find(id))
        armcii_am_progress(&p);
    push();
}

bool armcii_client_is_complete(uint64_t id)
{
    return !armcii_outstanding_find(id) &&
           (armcii_endpoints_have_thread ||
            !armcii_endpoints_have_unsent()); /* as after armcii_client_wait */
}

/* ---- put and accumulate ---- */

static void put_rndv(struct endpoint *e, const struct remote *to, const struct shape *s,
                     uint64_t id)
{
    struct outstanding *o = new_outstanding(id, to->owner);
    MPI_Request request;
    struct rndv_put put = {.server = to->server, .owner = to->owner, .tag = new_tag()};
    const uint32_t bytes = armcii_am_rndv_size(s->bytes);
    armcii_endpoint_reserve(e, armcii_am_request_length(AM_PUT_RNDV, s)); /* others may send */
    const bool asks =
        armcii_am_window_is_small() || (bytes > 0 && !armcii_endpoint_has_room(e, bytes));
    if (asks) MPI_Irecv(NULL, 0, MPI_BYTE, to->server, put.tag, armcii_endpoints_comm, &request);
    armcii_shape_range(s, SHAPE_REMOTE, &put.lo, &put.hi);
    append_request(e,
                   &(struct am_request){
                       .kind = asks ? AM_PUT_ASK : AM_PUT_RNDV, .owner = to->owner, .tag = put.tag},
                   s);
    armcii_rndv_add(e, &put, asks ? 0 : bytes);
    armcii_endpoint_send(e);
    if (asks)
        armcii_outstanding_set_send(o, s, to->server, put.tag + AM_TAG_DATA);
    else
        armcii_am_send_zcopy(armcii_endpoints_comm, (struct am_zcopy){s->local, s, SHAPE_LOCAL},
                             to->server, put.tag + AM_TAG_DATA, &request);
    armcii_outstanding_start(o, request);
}

/* Then it needs neither a cursor nor a second shape. */
static bool is_one_fragment(const struct shape *s)
{
    return s->form != SHAPE_VECTOR && s->bytes <= armcii_am_eager_max();
}

static void put_eager(struct endpoint *e, const struct remote *to, const struct shape *s)
{
    append_request(e, &(struct am_request){.kind = AM_PUT, .owner = to->owner}, s);
    armcii_endpoint_send_if_due(e);
}

static uint64_t put_fragments(struct endpoint *e, const struct remote *to,
                              const struct shape *shape)
{
    struct shape patch;
    const struct shape *s = armcii_am_vector_to_strided(shape, &patch);
    struct am_cursor cursor;
    struct vector_run runs[AM_RUNS];
    struct shape fragment;
    uint64_t id = 0;
    armcii_am_fragment_begin(&cursor, s, SHAPE_REMOTE);
    while (armcii_am_fragment_next(s, &cursor, runs, &fragment)) {
        if (fragment.bytes <= armcii_am_eager_max()) {
            put_eager(e, to, &fragment);
        } else {
            if (!id) id = ++last_id;
            put_rndv(e, to, &fragment, id);
        }
    }
    if (id) armcii_endpoint_send(e); /* eager fragments behind rendezvous ones */
    return id;
}

uint64_t armcii_client_put(const struct remote *to, const struct shape *s)
{
    struct endpoint *e = armcii_endpoint(to->server);
    uint64_t id = 0;
    wait_for_rndv(to, s);
    if (is_one_fragment(s))
        put_eager(e, to, s);
    else
        id = put_fragments(e, to, s);
    if (!id || armcii_endpoints_have_thread) armcii_endpoint_push(e);
    return id;
}

uint64_t armcii_client_accumulate(const struct remote *to, enum element type, const void *scale,
                                  const struct shape *shape)
{
    struct shape patch;
    const struct shape *s = armcii_am_vector_to_strided(shape, &patch);
    struct endpoint *e = armcii_endpoint(to->server);
    struct am_cursor cursor;
    struct vector_run runs[AM_RUNS];
    struct shape fragment;
    struct am_request r = {.kind = AM_ACC,
                           .element = (int)type,
                           .scale = scale ? scale : armcii_element_one(type),
                           .scale_bytes = armcii_element_size(type),
                           .owner = to->owner};
    wait_for_rndv(to, s);
    armcii_am_fragment_begin_packed(&cursor);
    while (armcii_am_fragment_next(s, &cursor, runs, &fragment)) {
        append_request(e, &r, &fragment);
        armcii_endpoint_send_if_due(e);
    }
    armcii_endpoint_push(e);
    return 0;
}

/* ---- get ---- */

/* Zero-copy where the data are contiguous, or where no buffer is free: the call does not wait for
 * earlier gets. */
static bool use_zcopy(const struct shape *fragment)
{
    if (fragment->form == SHAPE_CONTIGUOUS) return true;
    return !armcii_bufpool_can_alloc(&armcii_outstanding_buffers, fragment->bytes) &&
           armcii_am_can_zcopy(fragment, SHAPE_LOCAL);
}

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

/* The reply comes in an answer of the server, with others. */
static void get_short_fragment(struct endpoint *e, const struct remote *from,
                               const struct shape *fragment, struct outstanding *o)
{
    armcii_outstanding_set_unpack(o, fragment, NULL);
    append_request(e, &(struct am_request){.kind = AM_GET, .owner = from->owner}, fragment);
    armcii_endpoint_add_get(e, o);
}

static void get_fragment(struct endpoint *e, const struct remote *from,
                         const struct shape *fragment, uint64_t id)
{
    struct outstanding *o = new_outstanding(id, from->owner);
    MPI_Request reply;
    if (armcii_am_is_short_reply(fragment->bytes)) {
        get_short_fragment(e, from, fragment, o);
        return;
    }
    if (!use_zcopy(fragment))
        armcii_outstanding_set_unpack(o, fragment, alloc_buffer(fragment->bytes));
    o->tag = new_tag();
    if (o->buffer)
        MPI_Irecv(o->buffer, (int)fragment->bytes, MPI_BYTE, from->server, o->tag,
                  armcii_endpoints_comm, &reply);
    else
        armcii_am_receive_zcopy(armcii_endpoints_comm,
                                (struct am_zcopy){fragment->local, fragment, SHAPE_LOCAL},
                                from->server, o->tag, &reply);
    struct am_request r = {.kind = AM_GET, .owner = from->owner, .tag = o->tag};
    armcii_outstanding_start(o, reply);
    append_request(e, &r, fragment);
}

uint64_t armcii_client_get(const struct remote *from, const struct shape *shape)
{
    struct shape patch;
    const struct shape *s = armcii_am_vector_to_strided(shape, &patch);
    struct endpoint *e = armcii_endpoint(from->server);
    struct am_cursor cursor;
    struct vector_run runs[AM_RUNS];
    struct shape fragment;
    uint64_t id = ++last_id;
    wait_for_rndv(from, s);
    armcii_am_fragment_begin(&cursor, s, SHAPE_LOCAL);
    while (armcii_am_fragment_next(s, &cursor, runs, &fragment)) {
        get_fragment(e, from, &fragment, id);
        if (!cursor.in_order) continue;
        armcii_endpoint_send(e);
        armcii_client_wait(id);
    }
    if (armcii_am_is_short_reply(s->bytes))
        armcii_endpoint_send_gets_if_due(e);
    else
        armcii_endpoint_send(e);
    return id;
}

/* ---- local completion ---- */

void armcii_client_wait_all(int owner)
{
    struct backoff p = {0};
    const uint64_t now = last_id;
    if (armcii_outstanding_to(owner, now)) armcii_endpoints_send(); /* with short gets */
    while (armcii_outstanding_to(owner, now))
        armcii_am_progress(&p);
    push();
}

/* ---- round trips ---- */

/* Send the open message and wait for the reply. */
static void send_and_wait(struct endpoint *e, MPI_Request *reply)
{
    armcii_endpoint_send(e);
    armcii_endpoints_wait(reply);
}

long armcii_client_rmw(const struct remote *to, enum rmw_update update, size_t bytes, void *address,
                       long operand)
{
    struct endpoint *e = armcii_endpoint(to->server);
    struct shape s;
    MPI_Request reply;
    long old;
    armcii_shape_contiguous(&s, NULL, address, bytes);
    wait_for_rndv(to, &s);
    int tag = new_tag();
    struct am_request r = {.kind = AM_RMW,
                           .element = (int)update,
                           .scale = &operand,
                           .scale_bytes = sizeof operand,
                           .owner = to->owner,
                           .tag = tag};
    MPI_Irecv(&old, sizeof old, MPI_BYTE, to->server, tag, armcii_endpoints_comm, &reply);
    append_request(e, &r, &s);
    send_and_wait(e, &reply);
    armcii_tag_free(tag);
    return old;
}

/* ---- mutexes ---- */

/* Append the request to the open message of the server. */
static struct endpoint *append_mutex(enum am_kind kind, const struct remote *to, void *mutex,
                                     int tag)
{
    struct endpoint *e = armcii_endpoint(to->server);
    char *at = armcii_endpoint_append(e, sizeof(struct am_request_header),
                                      kind == AM_UNLOCK); /* a fence waits for unlocks */
    armcii_am_encode_mutex(kind, mutex, tag, at);
    return e;
}

static int request_mutex(enum am_kind kind, const struct remote *to, void *mutex)
{
    int granted, tag = new_tag();
    MPI_Request reply;
    MPI_Irecv(&granted, sizeof granted, MPI_BYTE, to->server, tag, armcii_endpoints_comm, &reply);
    send_and_wait(append_mutex(kind, to, mutex, tag), &reply);
    armcii_tag_free(tag);
    return granted;
}

void armcii_client_lock(const struct remote *to, void *mutex)
{
    request_mutex(AM_LOCK, to, mutex);
}

bool armcii_client_trylock(const struct remote *to, void *mutex)
{
    return request_mutex(AM_TRYLOCK, to, mutex);
}

void armcii_client_unlock(const struct remote *to, void *mutex)
{
    struct endpoint *e = append_mutex(AM_UNLOCK, to, mutex, 0);
    armcii_endpoint_send(e);
    armcii_endpoint_push(e);
}
