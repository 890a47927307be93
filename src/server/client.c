/* client.c - requests to agents: batches of small ones, large data on their own, and what is outstanding. */
#include "server/client.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/guard.h"
#include "base/wait.h"
#include "server/agent.h"
#include "server/larges.h"
#include "server/outstanding.h"
#include "server/pool.h"
#include "server/tags.h"
#include "server/thread.h"
#include "server/wire.h"
#include "team/team.h"
#include "team/world.h"

static MPI_Comm comm;

/* ---- what is outstanding ---- */

/* A message being put together, or on its way.  There are a few, whatever the number of agents. */
enum { BUFFERS = 32 };
struct buffer {
    _Alignas(64) char bytes[WIRE_BATCH];
};
static struct buffer *buffers;
static MPI_Request sending[BUFFERS];
static enum { FREE, OPEN, SENT } state[BUFFERS];

/* An agent this process has asked something of. */
struct channel {
    int agent;
    int open;              /* buffer of requests not yet sent; -1: none */
    uint16_t sequence;     /* number of the next message */
    uint64_t sent, acked;  /* messages that are to be acknowledged, and that were */
    size_t bytes_unacked;  /* of those in between */
    unsigned appended;     /* updates, since it was asked for acknowledgements: see send_when_due */
    struct channel *next;
};
static struct channel **channel_of; /* [world size, and ranks set aside] */
static struct channel *channels;
static uint64_t tickets;
enum { MOST_UNACKED = BUFFERS - 8 };

static struct wire_ack ack;
static MPI_Request ack_request;
static struct wire_inbox acks;
static atomic_uint acks_to_come; /* of all agents, large puts too; atomic: the progress thread asks without the lock */
static bool has_thread;          /* a progress thread that completes what the program leaves under way */

static void expect_ack(void)
{
    armcii_wire_expect(&acks, &ack, &ack_request);
}

/* ---- progress ---- */

static struct wire_batch *head_of(int buffer)
{
    return (struct wire_batch *)(void *)buffers[buffer].bytes;
}

/* Where nobody but the program sends what the system did not take: count all that may fill a connection. */
static bool must_be_tracked(const struct wire_batch *head)
{
    enum { SMALL = 256 }; /* bytes: a get, an rmw, a mutex; what limits operations under way limits these */
    return !has_thread && head->bytes > SMALL;
}

static uint64_t unacked(const struct channel *c)
{
    return c->sent - c->acked;
}

static void send_open(struct channel *c)
{
    if (c->open < 0) return;
    int b = c->open;
    struct wire_batch *head = head_of(b);
    c->open = -1;
    state[b] = SENT;
    head->sequence = c->sequence++;
    if (must_be_tracked(head)) head->acknowledge = 1;
    if (head->acknowledge) {
        c->sent++;
        c->bytes_unacked += head->bytes;
        acks_to_come++;
    }
    MPI_Isend(buffers[b].bytes, (int)head->bytes, MPI_BYTE, c->agent, WIRE_TAG_REQUEST, comm, &sending[b]);
}

static void take_ack(struct channel *c)
{
    if (ack.bytes) {
        c->acked++;
        c->bytes_unacked -= (size_t)ack.bytes;
    }
    if (ack.large) {
        armcii_larges_drop(c->agent, ack.large);
        armcii_tag_release(ack.large);
    }
    acks_to_come--;
}

/* Updates that wait for an earlier message to arrive go when it has.  Asking MPI costs: only where an acknowledgement is to come. */
static bool take_acks(void)
{
    bool any = false;
    while (acks_to_come > 0) {
        int agent;
        if (!armcii_wire_arrived(&acks, &ack, &ack_request, &agent)) return any;
        struct channel *c = channel_of[agent];
        take_ack(c);
        expect_ack();
        if (unacked(c) == 0) send_open(c);
        any = true;
    }
    return any;
}

static bool free_buffers(void)
{
    bool any = false;
    for (int i = 0; i < BUFFERS; i++) {
        int done = 0;
        if (state[i] == SENT) MPI_Test(&sending[i], &done, MPI_STATUS_IGNORE);
        if (!done) continue;
        state[i] = FREE;
        any = true;
    }
    return any;
}

bool armcii_client_advance(void)
{
    bool any = take_acks();
    any |= armcii_outstanding_advance();
    return any;
}

/* One turn of any wait: whatever can advance does, the agent in this process too.  Other threads come in after each, however much there
 * is to serve: the one that is waited for may be among them. */
static void turn(struct patience *p)
{
    bool any = armcii_client_advance();
    any |= armcii_agent_poll();
    if (any)
        p->turns = 0;
    else if (!armcii_wait_spin(p))
        sched_yield();
    armcii_guard_pass();
}

void armcii_client_let_go_on(struct patience *p)
{
    turn(p);
}

void armcii_client_wait(MPI_Request *request)
{
    struct patience p = {0};
    for (;;) {
        int done;
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done) return;
        turn(&p);
    }
}

/* ---- sending ---- */

static void send_all_open(void)
{
    for (struct channel *c = channels; c; c = c->next) send_open(c);
}

static int free_buffer(void)
{
    for (int i = 0; i < BUFFERS; i++)
        if (state[i] == FREE) return i;
    return -1;
}

/* A buffer for a new message; where all are taken by messages to other agents, these are sent. */
static int take_buffer(void)
{
    struct patience p = {0};
    int b = free_buffer();
    while (b < 0) {
        send_all_open();
        if (!free_buffers()) turn(&p);
        b = free_buffer();
    }
    state[b] = OPEN;
    *head_of(b) = (struct wire_batch){.bytes = sizeof(struct wire_batch)};
    return b;
}

/* Room for a record of so many bytes in the open message to the agent. */
static char *append(struct channel *c, size_t length, bool acknowledge)
{
    if (c->open >= 0 && head_of(c->open)->bytes + length > armcii_wire_message_limit()) send_open(c);
    while (c->open < 0) { /* while it waits for a buffer another thread may open one */
        int b = take_buffer();
        if (c->open < 0)
            c->open = b;
        else
            state[b] = FREE;
        if (head_of(c->open)->bytes + length > armcii_wire_message_limit()) send_open(c);
    }
    struct wire_batch *head = head_of(c->open);
    char *at = (char *)head + head->bytes;
    head->bytes += (uint32_t)length;
    if (acknowledge) head->acknowledge = 1;
    return at;
}

/* Small updates go at once where nothing is under way, else together when that has arrived, the message is long, or somebody asks.
 * Whether it has arrived is asked now and then: asking MPI costs more than a put. */
static void send_when_due(struct channel *c)
{
    enum { POLL_EVERY = 16 };
    struct patience p = {0};
    if (unacked(c) > 0 && ++c->appended % POLL_EVERY == 0) take_acks();
    if (unacked(c) == 0 || (c->open >= 0 && head_of(c->open)->bytes >= armcii_wire_at_once())) send_open(c);
    while (unacked(c) > MOST_UNACKED) turn(&p);
}

static void request(struct channel *c, const struct wire_request *r, const struct shape *s)
{
    char *to = append(c, armcii_wire_length(r->kind, s), armcii_wire_has_data(r->kind));
    armcii_wire_encode(r, s, to);
}

bool armcii_client_is_busy(void)
{
    return armcii_outstanding_count > 0 || acks_to_come > 0;
}

/* ---- leaving the library ---- */

/* The system takes so many bytes of a connection whose other end reads, and delivers them without this process. */
static bool arrives_by_itself(const struct channel *c)
{
    return c->open < 0 && c->bytes_unacked <= armcii_wire_message_limit() && !armcii_larges_of(c->agent, armcii_larges_count());
}

/* Before the program goes on: what it started reaches the agent although it may never call again.  The progress thread sees to that;
 * where there is none, wait until little enough is under way. */
static void leave(struct channel *c)
{
    struct patience p = {0};
    if (arrives_by_itself(c)) return;
    if (has_thread) {
        if (!armcii_agent_is_here()) armcii_thread_wake(); /* an agent's thread looks soon */
        return;
    }
    const uint64_t larges = armcii_larges_count();
    send_open(c);
    while (c->bytes_unacked > armcii_wire_message_limit() || armcii_larges_of(c->agent, larges)) turn(&p);
}

/* The first message to an agent makes the connection, which takes several calls of MPI on both sides. */
static void connect(struct channel *c)
{
    struct patience p = {0};
    if (has_thread) {
        armcii_thread_wake();
        return;
    }
    append(c, 0, true);
    send_open(c);
    while (c->acked == 0) turn(&p);
}

static struct channel *channel(int agent)
{
    struct channel *c = channel_of[agent];
    if (c) return c;
    c = malloc(sizeof *c);
    if (!c) armcii_fatal("out of memory for requests to other hosts");
    *c = (struct channel){.agent = agent, .open = -1, .next = channels};
    channels = channel_of[agent] = c;
    connect(c);
    return c;
}

/* ---- order ---- */

static void wait_for_larges(const struct remote *to, const struct shape *s)
{
    char *lo, *hi;
    struct patience p = {0};
    if (!armcii_larges_any()) return;
    armcii_shape_hull(s, SHAPE_REMOTE, &lo, &hi);
    while (armcii_larges_meet(to->owner, lo, hi)) turn(&p);
}

/* ---- outstanding operations ---- */

static int new_tag(void)
{
    struct patience p = {0};
    int tag;
    while (!(tag = armcii_tag_take())) turn(&p);
    return tag;
}

static struct outstanding *new_outstanding(uint64_t ticket, int owner)
{
    struct patience p = {0};
    struct outstanding *o;
    while (!(o = armcii_outstanding_new(ticket, owner))) {
        send_all_open();
        turn(&p);
    }
    return o;
}

void armcii_client_finish(uint64_t ticket)
{
    struct patience p = {0};
    while (armcii_outstanding_has(ticket)) turn(&p);
    if (!armcii_larges_any()) return;
    for (struct channel *c = channels; c; c = c->next) leave(c);
}

bool armcii_client_is_complete(uint64_t ticket)
{
    return !armcii_outstanding_has(ticket) && (has_thread || !armcii_larges_any()); /* as after armcii_client_finish */
}

/* ---- put and accumulate ---- */

static void put_large(struct channel *c, const struct remote *to, const struct shape *s, uint64_t ticket)
{
    struct outstanding *o = new_outstanding(ticket, to->owner);
    MPI_Request data;
    struct large large = {.agent = to->agent, .owner = to->owner, .tag = new_tag()};
    armcii_shape_hull(s, SHAPE_REMOTE, &large.lo, &large.hi);
    armcii_larges_add(&large);
    acks_to_come++;
    request(c, &(struct wire_request){.kind = WIRE_PUT_LARGE, .owner = to->owner, .tag = large.tag, .delta = to->delta}, s);
    send_open(c);
    armcii_wire_send(comm, (struct wire_place){s->local, s, SHAPE_LOCAL}, to->agent, large.tag + WIRE_TAG_DATA, &data);
    armcii_outstanding_started(o, data);
}

uint64_t armcii_client_put(const struct remote *to, const struct shape *shape)
{
    struct shape patch;
    const struct shape *s = armcii_wire_compact(shape, &patch);
    struct channel *c = channel(to->agent);
    struct wire_cursor cursor;
    struct vector_run runs[WIRE_RUNS];
    struct shape part;
    uint64_t ticket = 0;
    wait_for_larges(to, s);
    armcii_wire_begin(&cursor, s, SHAPE_REMOTE);
    while (armcii_wire_part(s, &cursor, runs, &part)) {
        if (part.bytes > armcii_wire_at_once()) {
            if (!ticket) ticket = ++tickets;
            put_large(c, to, &part, ticket);
            continue;
        }
        request(c, &(struct wire_request){.kind = WIRE_PUT, .owner = to->owner, .delta = to->delta}, &part);
        send_when_due(c);
    }
    if (!ticket) leave(c);
    return ticket;
}

uint64_t armcii_client_accumulate(const struct remote *to, enum element e, const void *scale, const struct shape *shape)
{
    struct shape patch;
    const struct shape *s = armcii_wire_compact(shape, &patch);
    struct channel *c = channel(to->agent);
    struct wire_cursor cursor;
    struct vector_run runs[WIRE_RUNS];
    struct shape part;
    struct wire_request r = {.kind = WIRE_ACC,
                             .element = (int)e,
                             .scale = scale ? scale : armcii_element_one(e),
                             .scale_bytes = armcii_element_size(e),
                             .owner = to->owner,
                             .delta = to->delta};
    wait_for_larges(to, s);
    armcii_wire_begin_packed(&cursor);
    while (armcii_wire_part(s, &cursor, runs, &part)) {
        request(c, &r, &part);
        send_when_due(c);
    }
    leave(c);
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
        send_all_open();
        turn(&p);
    }
    return buffer;
}

static void get_part(struct channel *c, const struct remote *from, const struct shape *part, uint64_t ticket)
{
    struct outstanding *o = new_outstanding(ticket, from->owner);
    MPI_Request reply;
    if (!goes_into_place(part)) armcii_outstanding_unpacks(o, part, room_for(part->bytes));
    o->tag = new_tag();
    if (o->buffer)
        MPI_Irecv(o->buffer, (int)part->bytes, MPI_BYTE, from->agent, o->tag, comm, &reply);
    else
        armcii_wire_receive(comm, (struct wire_place){part->local, part, SHAPE_LOCAL}, from->agent, o->tag, &reply);
    struct wire_request r = {.kind = WIRE_GET, .owner = from->owner, .tag = o->tag, .delta = from->delta};
    armcii_outstanding_started(o, reply);
    request(c, &r, part);
}

uint64_t armcii_client_get(const struct remote *from, const struct shape *shape)
{
    struct shape patch;
    const struct shape *s = armcii_wire_compact(shape, &patch);
    struct channel *c = channel(from->agent);
    struct wire_cursor cursor;
    struct vector_run runs[WIRE_RUNS];
    struct shape part;
    uint64_t ticket = ++tickets;
    wait_for_larges(from, s);
    armcii_wire_begin(&cursor, s, SHAPE_LOCAL);
    while (armcii_wire_part(s, &cursor, runs, &part)) {
        get_part(c, from, &part, ticket);
        if (!cursor.in_order) continue;
        send_open(c);
        armcii_client_finish(ticket);
    }
    send_open(c);
    return ticket;
}

/* ---- local completion ---- */

void armcii_client_finish_all(int owner)
{
    struct patience p = {0};
    const uint64_t now = tickets;
    while (armcii_outstanding_of(owner, now)) turn(&p);
}

/* ---- round trips ---- */

/* Send what is open and wait for the answer. */
static void ask(struct channel *c, MPI_Request *answer)
{
    send_open(c);
    armcii_client_wait(answer);
}

long armcii_client_rmw(const struct remote *to, enum apply_update update, size_t bytes, void *address, long operand)
{
    struct channel *c = channel(to->agent);
    struct shape s;
    MPI_Request answer;
    long old;
    armcii_shape_contiguous(&s, NULL, address, bytes);
    wait_for_larges(to, &s);
    int tag = new_tag();
    MPI_Irecv(&old, sizeof old, MPI_BYTE, to->agent, tag, comm, &answer);
    request(c,
            &(struct wire_request){.kind = WIRE_RMW,
                                   .element = (int)update,
                                   .scale = &operand,
                                   .scale_bytes = sizeof operand,
                                   .owner = to->owner,
                                   .tag = tag,
                                   .delta = to->delta},
            &s);
    ask(c, &answer);
    armcii_tag_release(tag);
    return old;
}

static int ask_for_mutex(enum wire_kind kind, int agent, uint64_t set, int owner, uint64_t number)
{
    struct channel *c = channel(agent);
    MPI_Request answer;
    int granted, tag = new_tag();
    MPI_Irecv(&granted, sizeof granted, MPI_BYTE, agent, tag, comm, &answer);
    armcii_wire_encode_lock(kind, set, owner, number, tag, append(c, sizeof(struct wire_record), false));
    ask(c, &answer);
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
    struct channel *c = channel(agent);
    armcii_wire_encode_lock(WIRE_UNLOCK, set, owner, number, 0, append(c, sizeof(struct wire_record), true)); /* for fences */
    send_open(c);
    leave(c);
}

/* ---- remote completion ---- */

/* For what is outstanding now: other threads may add to it all the time. */
static void wait_for_channel(struct channel *c)
{
    struct patience p = {0};
    send_open(c);
    const uint64_t sent = c->sent, larges = armcii_larges_count();
    while (c->acked < sent || armcii_larges_of(c->agent, larges)) turn(&p);
}

/* Send to all agents that are meant, then wait. */
static void fence(bool (*is_meant)(int agent, const void *whom), const void *whom)
{
    for (struct channel *c = channels; c; c = c->next)
        if (is_meant(c->agent, whom)) send_open(c);
    for (struct channel *c = channels; c; c = c->next)
        if (is_meant(c->agent, whom)) wait_for_channel(c);
}

static bool serves_process(int agent, const void *process)
{
    return armcii_world->host_of[agent] == armcii_world->host_of[*(const int *)process];
}

static bool serves_team(int agent, const void *team)
{
    return armcii_team_is_on_host(team, armcii_world->host_of[agent]);
}

static bool serves_any(int agent, const void *unused)
{
    (void)agent, (void)unused;
    return true;
}

void armcii_client_fence(int process)
{
    fence(serves_process, &process);
}

void armcii_client_fence_team(const struct team *team)
{
    fence(serves_team, team);
}

void armcii_client_fence_all(void)
{
    fence(serves_any, NULL);
}

bool armcii_client_is_settled(void)
{
    for (const struct channel *c = channels; c; c = c->next)
        if (c->open >= 0 || unacked(c) > 0) return false;
    return !armcii_larges_any();
}

/* ---- start and end ---- */

void armcii_client_start(MPI_Comm requests)
{
    comm = requests;
    has_thread = armcii_world->aside == 0;
    buffers = aligned_alloc(64, BUFFERS * sizeof *buffers);
    channel_of = calloc((size_t)(armcii_world->size + armcii_world->aside), sizeof(struct channel *));
    if (!buffers || !channel_of) armcii_fatal("out of memory for requests to other hosts");
    for (int i = 0; i < BUFFERS; i++) state[i] = FREE;
    acks = (struct wire_inbox){comm, WIRE_TAG_ACK, sizeof ack};
    expect_ack();
}

void armcii_client_end(void)
{
    if (!buffers) return;
    armcii_wire_end_receives(&acks, 1, &ack_request);
    for (int i = 0; i < BUFFERS; i++)
        if (state[i] == SENT) MPI_Wait(&sending[i], MPI_STATUS_IGNORE);
    while (channels) {
        struct channel *c = channels;
        channels = c->next;
        free(c);
    }
    armcii_pool_empty(&armcii_outstanding_buffers);
    free(channel_of);
    free(buffers);
    channel_of = NULL;
    buffers = NULL;
}
