/* client.c - asking the agents of other hosts: requests with small data, large data in messages of their own. */
#include "server/client.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/wait.h"
#include "server/endpoint.h"
#include "server/larges.h"
#include "server/outstanding.h"
#include "server/pool.h"
#include "server/tags.h"
#include "server/wire.h"

static uint64_t tickets;

static void request(struct endpoint *e, const struct wire_request *r, const struct shape *s)
{
    char *to = armcii_endpoint_append(e, armcii_wire_length(r->kind, s), armcii_wire_has_data(r->kind));
    armcii_wire_encode(r, s, to);
}

/* ---- order ---- */

static void wait_for_larges(const struct remote *to, const struct shape *s)
{
    char *lo, *hi;
    struct patience p = {0};
    if (!armcii_larges_any()) return;
    armcii_shape_hull(s, SHAPE_REMOTE, &lo, &hi);
    while (armcii_larges_meet(to->owner, lo, hi)) armcii_endpoints_turn(&p);
}

/* ---- outstanding operations ---- */

static int new_tag(void)
{
    struct patience p = {0};
    int tag;
    while (!(tag = armcii_tag_take())) armcii_endpoints_turn(&p);
    return tag;
}

static struct outstanding *new_outstanding(uint64_t ticket, int owner)
{
    struct patience p = {0};
    struct outstanding *o;
    while (!(o = armcii_outstanding_new(ticket, owner))) {
        armcii_endpoints_send();
        armcii_endpoints_turn(&p);
    }
    return o;
}

/* The caller has waited for what is complete locally.  Remote completion goes on without it. */
static void leave(void)
{
    if (armcii_larges_any() || !armcii_endpoints_have_thread) armcii_endpoints_leave();
}

void armcii_client_finish(uint64_t ticket)
{
    struct patience p = {0};
    while (armcii_outstanding_has(ticket)) armcii_endpoints_turn(&p);
    leave();
}

bool armcii_client_is_complete(uint64_t ticket)
{
    return !armcii_outstanding_has(ticket) && (armcii_endpoints_have_thread || !armcii_larges_any()); /* as after armcii_client_finish */
}

/* ---- put and accumulate ---- */

static void put_large(struct endpoint *e, const struct remote *to, const struct shape *s, uint64_t ticket)
{
    struct outstanding *o = new_outstanding(ticket, to->owner);
    MPI_Request data;
    struct large large = {.agent = to->agent, .owner = to->owner, .tag = new_tag()};
    armcii_shape_hull(s, SHAPE_REMOTE, &large.lo, &large.hi);
    armcii_larges_add(&large);
    armcii_endpoints_expect_large();
    request(e, &(struct wire_request){.kind = WIRE_PUT_LARGE, .owner = to->owner, .tag = large.tag, .delta = to->delta}, s);
    armcii_endpoint_send(e);
    armcii_wire_send(armcii_endpoints_comm, (struct wire_place){s->local, s, SHAPE_LOCAL}, to->agent, large.tag + WIRE_TAG_DATA, &data);
    armcii_outstanding_started(o, data);
}

uint64_t armcii_client_put(const struct remote *to, const struct shape *shape)
{
    struct shape patch;
    const struct shape *s = armcii_wire_compact(shape, &patch);
    struct endpoint *e = armcii_endpoint(to->agent);
    struct wire_cursor cursor;
    struct vector_run runs[WIRE_RUNS];
    struct shape part;
    uint64_t ticket = 0;
    wait_for_larges(to, s);
    armcii_wire_begin(&cursor, s, SHAPE_REMOTE);
    while (armcii_wire_part(s, &cursor, runs, &part)) {
        if (part.bytes > armcii_wire_at_once()) {
            if (!ticket) ticket = ++tickets;
            put_large(e, to, &part, ticket);
            continue;
        }
        request(e, &(struct wire_request){.kind = WIRE_PUT, .owner = to->owner, .delta = to->delta}, &part);
        armcii_endpoint_send_when_due(e);
    }
    if (ticket) armcii_endpoint_send(e); /* small parts behind the large ones */
    if (!ticket || armcii_endpoints_have_thread) armcii_endpoint_leave(e);
    return ticket;
}

uint64_t armcii_client_accumulate(const struct remote *to, enum element type, const void *scale, const struct shape *shape)
{
    struct shape patch;
    const struct shape *s = armcii_wire_compact(shape, &patch);
    struct endpoint *e = armcii_endpoint(to->agent);
    struct wire_cursor cursor;
    struct vector_run runs[WIRE_RUNS];
    struct shape part;
    struct wire_request r = {.kind = WIRE_ACC,
                             .element = (int)type,
                             .scale = scale ? scale : armcii_element_one(type),
                             .scale_bytes = armcii_element_size(type),
                             .owner = to->owner,
                             .delta = to->delta};
    wait_for_larges(to, s);
    armcii_wire_begin_packed(&cursor);
    while (armcii_wire_part(s, &cursor, runs, &part)) {
        request(e, &r, &part);
        armcii_endpoint_send_when_due(e);
    }
    armcii_endpoint_leave(e);
    return 0;
}

/* ---- get ---- */

/* Where there is no room to unpack from, MPI may receive it straight into place: the call does not wait for earlier gets. */
static bool goes_into_place(const struct shape *part)
{
    if (part->form == SHAPE_CONTIGUOUS) return true;
    return !armcii_pool_has(&armcii_outstanding_buffers, part->bytes) && armcii_wire_suits_mpi(part, SHAPE_LOCAL);
}

/* A buffer, when gets under way have left enough. */
static char *room_for(size_t bytes)
{
    struct patience p = {0};
    char *buffer;
    while (!(buffer = armcii_pool_take(&armcii_outstanding_buffers, bytes))) {
        armcii_endpoints_send();
        armcii_endpoints_turn(&p);
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
        MPI_Irecv(o->buffer, (int)part->bytes, MPI_BYTE, from->agent, o->tag, armcii_endpoints_comm, &reply);
    else
        armcii_wire_receive(armcii_endpoints_comm, (struct wire_place){part->local, part, SHAPE_LOCAL}, from->agent, o->tag, &reply);
    struct wire_request r = {.kind = WIRE_GET, .owner = from->owner, .tag = o->tag, .delta = from->delta};
    armcii_outstanding_started(o, reply);
    request(e, &r, part);
}

uint64_t armcii_client_get(const struct remote *from, const struct shape *shape)
{
    struct shape patch;
    const struct shape *s = armcii_wire_compact(shape, &patch);
    struct endpoint *e = armcii_endpoint(from->agent);
    struct wire_cursor cursor;
    struct vector_run runs[WIRE_RUNS];
    struct shape part;
    uint64_t ticket = ++tickets;
    wait_for_larges(from, s);
    armcii_wire_begin(&cursor, s, SHAPE_LOCAL);
    while (armcii_wire_part(s, &cursor, runs, &part)) {
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
    struct patience p = {0};
    const uint64_t now = tickets;
    while (armcii_outstanding_of(owner, now)) armcii_endpoints_turn(&p);
    leave();
}

/* ---- round trips ---- */

/* Send what is open and wait for the answer. */
static void ask(struct endpoint *e, MPI_Request *answer)
{
    armcii_endpoint_send(e);
    armcii_endpoints_wait(answer);
}

long armcii_client_rmw(const struct remote *to, enum apply_update update, size_t bytes, void *address, long operand)
{
    struct endpoint *e = armcii_endpoint(to->agent);
    struct shape s;
    MPI_Request answer;
    long old;
    armcii_shape_contiguous(&s, NULL, address, bytes);
    wait_for_larges(to, &s);
    int tag = new_tag();
    MPI_Irecv(&old, sizeof old, MPI_BYTE, to->agent, tag, armcii_endpoints_comm, &answer);
    request(e,
            &(struct wire_request){.kind = WIRE_RMW,
                                   .element = (int)update,
                                   .scale = &operand,
                                   .scale_bytes = sizeof operand,
                                   .owner = to->owner,
                                   .tag = tag,
                                   .delta = to->delta},
            &s);
    ask(e, &answer);
    armcii_tag_release(tag);
    return old;
}

static int ask_for_mutex(enum wire_kind kind, int agent, uint64_t set, int owner, uint64_t number)
{
    struct endpoint *e = armcii_endpoint(agent);
    MPI_Request answer;
    int granted, tag = new_tag();
    MPI_Irecv(&granted, sizeof granted, MPI_BYTE, agent, tag, armcii_endpoints_comm, &answer);
    armcii_wire_encode_lock(kind, set, owner, number, tag, armcii_endpoint_append(e, sizeof(struct wire_record), false));
    ask(e, &answer);
    armcii_tag_release(tag);
    return granted;
}

void armcii_client_lock(int agent, uint64_t set, int owner, uint64_t number)
{
    ask_for_mutex(WIRE_LOCK, agent, set, owner, number);
}

bool armcii_client_trylock(int agent, uint64_t set, int owner, uint64_t number)
{
    return ask_for_mutex(WIRE_TRYLOCK, agent, set, owner, number);
}

void armcii_client_unlock(int agent, uint64_t set, int owner, uint64_t number)
{
    struct endpoint *e = armcii_endpoint(agent);
    armcii_wire_encode_lock(WIRE_UNLOCK, set, owner, number, 0, armcii_endpoint_append(e, sizeof(struct wire_record), true)); /* for fences */
    armcii_endpoint_send(e);
    armcii_endpoint_leave(e);
}
