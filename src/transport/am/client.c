/* client.c - asking the servers of other nodes: requests with small data, large data in messages of their own. */
#include "transport/am/client.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/backoff.h"
#include "transport/am/endpoint.h"
#include "transport/am/outstanding.h"
#include "transport/am/bufpool.h"
#include "transport/am/proto.h"

static uint64_t tickets;

static void request(struct endpoint *e, const struct am_request *r, const struct shape *s)
{
    char *to = armcii_endpoint_append(e, armcii_am_request_length(r->kind, s), armcii_am_has_data(r->kind));
    armcii_am_encode(r, s, to);
}

/* ---- order ---- */

static void wait_for_larges(const struct remote *to, const struct shape *s)
{
    char *lo, *hi;
    struct backoff p = {0};
    if (!armcii_rndv_any()) return;
    armcii_shape_range(s, SHAPE_REMOTE, &lo, &hi);
    while (armcii_rndv_overlap(to->owner, lo, hi)) armcii_am_progress(&p);
}

/* ---- outstanding operations ---- */

static int new_tag(void)
{
    struct backoff p = {0};
    int tag;
    while (!(tag = armcii_tag_alloc())) armcii_am_progress(&p);
    return tag;
}

static struct outstanding *new_outstanding(uint64_t ticket, int owner)
{
    struct backoff p = {0};
    struct outstanding *o;
    while (!(o = armcii_outstanding_new(ticket, owner))) {
        armcii_endpoints_send();
        armcii_am_progress(&p);
    }
    return o;
}

/* The caller has waited for what is complete locally.  Remote completion goes on without it. */
static void leave(void)
{
    if (armcii_rndv_any() || !armcii_endpoints_have_thread) armcii_endpoints_leave();
}

void armcii_client_finish(uint64_t ticket)
{
    struct backoff p = {0};
    while (armcii_outstanding_has(ticket)) armcii_am_progress(&p);
    leave();
}

bool armcii_client_is_complete(uint64_t ticket)
{
    return !armcii_outstanding_has(ticket) && (armcii_endpoints_have_thread || !armcii_rndv_any()); /* as after armcii_client_finish */
}

/* ---- put and accumulate ---- */

static void put_large(struct endpoint *e, const struct remote *to, const struct shape *s, uint64_t ticket)
{
    struct outstanding *o = new_outstanding(ticket, to->owner);
    MPI_Request data;
    struct rndv_put large = {.server = to->server, .owner = to->owner, .tag = new_tag()};
    armcii_shape_range(s, SHAPE_REMOTE, &large.lo, &large.hi);
    armcii_rndv_add(&large);
    armcii_endpoints_expect_rndv();
    request(e, &(struct am_request){.kind = AM_PUT_RNDV, .owner = to->owner, .tag = large.tag, .delta = to->delta}, s);
    armcii_endpoint_send(e);
    armcii_am_send_zcopy(armcii_endpoints_comm, (struct am_zcopy){s->local, s, SHAPE_LOCAL}, to->server, large.tag + AM_TAG_DATA, &data);
    armcii_outstanding_started(o, data);
}

uint64_t armcii_client_put(const struct remote *to, const struct shape *shape)
{
    struct shape patch;
    const struct shape *s = armcii_am_vector_to_strided(shape, &patch);
    struct endpoint *e = armcii_endpoint(to->server);
    struct am_cursor cursor;
    struct vector_run runs[AM_RUNS];
    struct shape part;
    uint64_t ticket = 0;
    wait_for_larges(to, s);
    armcii_am_fragment_begin(&cursor, s, SHAPE_REMOTE);
    while (armcii_am_fragment_next(s, &cursor, runs, &part)) {
        if (part.bytes > armcii_am_eager_max()) {
            if (!ticket) ticket = ++tickets;
            put_large(e, to, &part, ticket);
            continue;
        }
        request(e, &(struct am_request){.kind = AM_PUT, .owner = to->owner, .delta = to->delta}, &part);
        armcii_endpoint_send_when_due(e);
    }
    if (ticket) armcii_endpoint_send(e); /* small parts behind the large ones */
    if (!ticket || armcii_endpoints_have_thread) armcii_endpoint_leave(e);
    return ticket;
}

uint64_t armcii_client_accumulate(const struct remote *to, enum element type, const void *scale, const struct shape *shape)
{
    struct shape patch;
    const struct shape *s = armcii_am_vector_to_strided(shape, &patch);
    struct endpoint *e = armcii_endpoint(to->server);
    struct am_cursor cursor;
    struct vector_run runs[AM_RUNS];
    struct shape part;
    struct am_request r = {.kind = AM_ACC,
                             .element = (int)type,
                             .scale = scale ? scale : armcii_element_one(type),
                             .scale_bytes = armcii_element_size(type),
                             .owner = to->owner,
                             .delta = to->delta};
    wait_for_larges(to, s);
    armcii_am_fragment_begin_packed(&cursor);
    while (armcii_am_fragment_next(s, &cursor, runs, &part)) {
        request(e, &r, &part);
        armcii_endpoint_send_when_due(e);
    }
    armcii_endpoint_leave(e);
    return 0;
}

/* ---- get ---- */

/* Where there is no room to unpack from, MPI may receive it zero-copy: the call does not wait for earlier gets. */
static bool goes_into_place(const struct shape *part)
{
    if (part->form == SHAPE_CONTIGUOUS) return true;
    return !armcii_bufpool_can_alloc(&armcii_outstanding_buffers, part->bytes) && armcii_am_can_zcopy(part, SHAPE_LOCAL);
}

/* A buffer, when gets under way have left enough. */
static char *room_for(size_t bytes)
{
    struct backoff p = {0};
    char *buffer;
    while (!(buffer = armcii_bufpool_alloc(&armcii_outstanding_buffers, bytes))) {
        armcii_endpoints_send();
        armcii_am_progress(&p);
    }
    return buffer;
}

static void get_part(struct endpoint *e, const struct remote *from, const struct shape *part, uint64_t ticket)
{
    struct outstanding *o = new_outstanding(ticket, from->owner);
    MPI_Request reply;
    if (!goes_into_place(part)) armcii_outstanding_unpacks(o, part, room_for(part->bytes));
    o->tag = new_tag();
    if (o->buffer)
        MPI_Irecv(o->buffer, (int)part->bytes, MPI_BYTE, from->server, o->tag, armcii_endpoints_comm, &reply);
    else
        armcii_am_receive_zcopy(armcii_endpoints_comm, (struct am_zcopy){part->local, part, SHAPE_LOCAL}, from->server, o->tag, &reply);
    struct am_request r = {.kind = AM_GET, .owner = from->owner, .tag = o->tag, .delta = from->delta};
    armcii_outstanding_started(o, reply);
    request(e, &r, part);
}

uint64_t armcii_client_get(const struct remote *from, const struct shape *shape)
{
    struct shape patch;
    const struct shape *s = armcii_am_vector_to_strided(shape, &patch);
    struct endpoint *e = armcii_endpoint(from->server);
    struct am_cursor cursor;
    struct vector_run runs[AM_RUNS];
    struct shape part;
    uint64_t ticket = ++tickets;
    wait_for_larges(from, s);
    armcii_am_fragment_begin(&cursor, s, SHAPE_LOCAL);
    while (armcii_am_fragment_next(s, &cursor, runs, &part)) {
        get_part(e, from, &part, ticket);
        if (!cursor.in_order) continue;
        armcii_endpoint_send(e);
        armcii_client_finish(ticket);
    }
    armcii_endpoint_send(e);
    return ticket;
}

/* ---- local completion ---- */

void armcii_client_finish_all(int owner)
{
    struct backoff p = {0};
    const uint64_t now = tickets;
    while (armcii_outstanding_of(owner, now)) armcii_am_progress(&p);
    leave();
}

/* ---- round trips ---- */

/* Send what is open and wait for the answer. */
static void ask(struct endpoint *e, MPI_Request *answer)
{
    armcii_endpoint_send(e);
    armcii_endpoints_wait(answer);
}

long armcii_client_rmw(const struct remote *to, enum rmw_update update, size_t bytes, void *address, long operand)
{
    struct endpoint *e = armcii_endpoint(to->server);
    struct shape s;
    MPI_Request answer;
    long old;
    armcii_shape_contiguous(&s, NULL, address, bytes);
    wait_for_larges(to, &s);
    int tag = new_tag();
    MPI_Irecv(&old, sizeof old, MPI_BYTE, to->server, tag, armcii_endpoints_comm, &answer);
    request(e,
            &(struct am_request){.kind = AM_RMW,
                                   .element = (int)update,
                                   .scale = &operand,
                                   .scale_bytes = sizeof operand,
                                   .owner = to->owner,
                                   .tag = tag,
                                   .delta = to->delta},
            &s);
    ask(e, &answer);
    armcii_tag_free(tag);
    return old;
}

static int ask_for_mutex(enum am_kind kind, int server, uint64_t set, int owner, uint64_t number)
{
    struct endpoint *e = armcii_endpoint(server);
    MPI_Request answer;
    int granted, tag = new_tag();
    MPI_Irecv(&granted, sizeof granted, MPI_BYTE, server, tag, armcii_endpoints_comm, &answer);
    armcii_am_encode_mutex(kind, set, owner, number, tag, armcii_endpoint_append(e, sizeof(struct am_request_header), false));
    ask(e, &answer);
    armcii_tag_free(tag);
    return granted;
}

void armcii_client_lock(int server, uint64_t set, int owner, uint64_t number)
{
    ask_for_mutex(AM_LOCK, server, set, owner, number);
}

bool armcii_client_trylock(int server, uint64_t set, int owner, uint64_t number)
{
    return ask_for_mutex(AM_TRYLOCK, server, set, owner, number);
}

void armcii_client_unlock(int server, uint64_t set, int owner, uint64_t number)
{
    struct endpoint *e = armcii_endpoint(server);
    armcii_am_encode_mutex(AM_UNLOCK, set, owner, number, 0,
                           armcii_endpoint_append(e, sizeof(struct am_request_header), true)); /* for fences */
    armcii_endpoint_send(e);
    armcii_endpoint_leave(e);
}
