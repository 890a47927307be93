/* client.c - requests to agents: batches of small ones, large data on their own, and what is outstanding. */
#include "server/client.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/guard.h"
#include "base/wait.h"
#include "server/agent.h"
#include "server/larges.h"
#include "server/pool.h"
#include "server/tags.h"
#include "server/wire.h"
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
    int open;         /* buffer of requests not yet sent; -1: none */
    unsigned unacked; /* messages not yet acknowledged */
    unsigned appended; /* updates, since it was asked for acknowledgements: see send_when_due */
    struct channel *next;
};
static struct channel **channel_of; /* [world size, and ranks set aside] */
static struct channel *channels;
enum { MOST_UNACKED = BUFFERS - 8 };

/* A message that is not complete locally: data of a large put on their way, data of a get to come. */
struct work {
    uint64_t ticket;
    int owner;
    char *buffer;       /* to unpack from; NULL: in place */
    struct shape shape;
    void **addresses;
};
enum { MOST_WORKS = 256 };
static struct work *works[MOST_WORKS];
static MPI_Request work_requests[MOST_WORKS]; /* MPI looks at all of them at once: each look costs as much as a message */
static int listed;             /* of both */
static atomic_uint work_count; /* and those that are to be listed; atomic: the library's thread asks without the lock */
static uint64_t tickets;
static struct pool pool = {.most = 8 << 20}; /* of data to be unpacked */

static struct wire_ack ack;
static MPI_Request ack_request;
static struct wire_inbox acks;
static atomic_uint acks_to_come; /* of all agents, large puts too; atomic for the same reason */

static void expect_ack(void)
{
    armcii_wire_expect(&acks, &ack, &ack_request);
}

/* ---- progress ---- */

static struct wire_batch *head_of(int buffer)
{
    return (struct wire_batch *)(void *)buffers[buffer].bytes;
}

static void send_open(struct channel *c)
{
    if (c->open < 0) return;
    int b = c->open;
    c->open = -1;
    state[b] = SENT;
    c->unacked += head_of(b)->acknowledge;
    acks_to_come += head_of(b)->acknowledge;
    MPI_Isend(buffers[b].bytes, (int)head_of(b)->bytes, MPI_BYTE, c->agent, WIRE_TAG_REQUEST, comm, &sending[b]);
}

/* Updates that wait for an earlier message to arrive go when it has.  Asking MPI costs: only where an acknowledgement is to come. */
static bool take_acks(void)
{
    bool any = false;
    while (acks_to_come > 0) {
        int agent;
        if (!armcii_wire_arrived(&acks, &ack, &ack_request, &agent)) return any;
        struct channel *c = channel_of[agent];
        c->unacked -= (unsigned)ack.batches;
        if (ack.large) armcii_larges_drop(agent, ack.large);
        acks_to_come--;
        expect_ack();
        if (c->unacked == 0) send_open(c);
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

static void complete_work(struct work *w)
{
    if (w->buffer) {
        armcii_shape_unpack(&w->shape, SHAPE_LOCAL, w->buffer);
        armcii_pool_leave(&pool, w->buffer, w->shape.bytes);
    }
    free(w->addresses);
    free(w);
    work_count--;
}

/* Those that are still to come, in their order. */
static void close_gaps(void)
{
    int kept = 0;
    for (int i = 0; i < listed; i++) {
        if (!works[i]) continue;
        works[kept] = works[i];
        work_requests[kept++] = work_requests[i];
    }
    listed = kept;
}

static bool advance_works(void)
{
    static MPI_Status statuses[MOST_WORKS]; /* compilers take MPI_STATUSES_IGNORE for an array that is too short */
    int done, which[MOST_WORKS];
    if (listed == 0) return false;
    MPI_Testsome(listed, work_requests, &done, which, statuses);
    if (done == 0 || done == MPI_UNDEFINED) return false;
    for (int i = 0; i < done; i++) {
        complete_work(works[which[i]]);
        works[which[i]] = NULL;
    }
    close_gaps();
    return true;
}

bool armcii_client_advance(void)
{
    bool any = take_acks();
    any |= advance_works();
    return any;
}

/* One turn of any wait: whatever can advance does, the agent in this process too. */
static void turn(struct patience *p)
{
    bool any = armcii_client_advance();
    any |= armcii_agent_poll();
    if (any) p->turns = 0;
    if (!any && !armcii_wait_spin(p)) armcii_guard_pass();
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

static struct channel *channel(int agent)
{
    struct channel *c = channel_of[agent];
    if (c) return c;
    c = malloc(sizeof *c);
    if (!c) armcii_fatal("out of memory for requests to other hosts");
    *c = (struct channel){.agent = agent, .open = -1, .next = channels};
    channels = channel_of[agent] = c;
    return c;
}

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
    *head_of(b) = (struct wire_batch){sizeof(struct wire_batch), 0};
    return b;
}

/* Room for a record of so many bytes in the open message to the agent. */
static char *append(struct channel *c, size_t length, bool acknowledge)
{
    if (c->open >= 0 && head_of(c->open)->bytes + length > WIRE_BATCH) send_open(c);
    while (c->open < 0) { /* while it waits for a buffer another thread may open one */
        int b = take_buffer();
        if (c->open < 0)
            c->open = b;
        else
            state[b] = FREE;
        if (head_of(c->open)->bytes + length > WIRE_BATCH) send_open(c);
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
    if (c->unacked > 0 && ++c->appended % POLL_EVERY == 0) take_acks();
    if (c->unacked == 0 || (c->open >= 0 && head_of(c->open)->bytes >= armcii_wire_at_once())) send_open(c);
    while (c->unacked > MOST_UNACKED) turn(&p);
}

static void request(struct channel *c, const struct wire_request *r, const struct shape *s)
{
    char *to = append(c, armcii_wire_length(r->kind, s), armcii_wire_has_data(r->kind));
    armcii_wire_encode(r, s, to);
}

bool armcii_client_is_busy(void)
{
    return work_count > 0 || acks_to_come > 0;
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

/* ---- work ---- */

/* With a place in the list, which it takes when its message is under way. */
static struct work *new_work(uint64_t ticket, int owner)
{
    struct patience p = {0};
    while (work_count >= MOST_WORKS) {
        send_all_open();
        turn(&p);
    }
    struct work *w = calloc(1, sizeof *w);
    if (!w) armcii_fatal("out of memory for an operation");
    w->ticket = ticket;
    w->owner = owner;
    work_count++;
    return w;
}

/* From now on it may complete at any time. */
static void enlist(struct work *w, MPI_Request request)
{
    works[listed] = w;
    work_requests[listed++] = request;
}

static bool is_outstanding(uint64_t ticket)
{
    for (int i = 0; i < listed; i++)
        if (works[i]->ticket == ticket) return true;
    return false;
}

void armcii_client_finish(uint64_t ticket)
{
    struct patience p = {0};
    while (is_outstanding(ticket)) turn(&p);
}

/* ---- put and accumulate ---- */

static void put_large(struct channel *c, const struct remote *to, const struct shape *s, uint64_t ticket)
{
    struct work *w = new_work(ticket, to->owner);
    MPI_Request data;
    struct large large = {.agent = to->agent, .owner = to->owner, .tag = armcii_tag()};
    armcii_shape_hull(s, SHAPE_REMOTE, &large.lo, &large.hi);
    armcii_larges_add(&large);
    acks_to_come++;
    request(c, &(struct wire_request){.kind = WIRE_PUT_LARGE, .owner = to->owner, .tag = large.tag, .delta = to->delta}, s);
    send_open(c);
    armcii_wire_send(comm, (struct wire_place){s->local, s, SHAPE_LOCAL}, to->agent, large.tag + WIRE_TAG_DATA, &data);
    enlist(w, data);
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
    armcii_wire_begin(&cursor, s, SHAPE_REMOTE, WIRE_PART);
    while (armcii_wire_part(s, &cursor, runs, &part)) {
        if (part.bytes > WIRE_PART) {
            if (!ticket) ticket = ++tickets;
            put_large(c, to, &part, ticket);
            continue;
        }
        request(c, &(struct wire_request){.kind = WIRE_PUT, .owner = to->owner, .delta = to->delta}, &part);
        send_when_due(c);
    }
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
    armcii_wire_begin_packed(&cursor, s);
    while (armcii_wire_part(s, &cursor, runs, &part)) {
        request(c, &r, &part);
        send_when_due(c);
    }
    return 0;
}

/* ---- get ---- */

/* The program may reuse its lists of addresses before the data come. */
static void keep_addresses(struct work *w, const struct shape *part)
{
    w->shape = *part;
    if (part->form != SHAPE_VECTOR) return;
    size_t runs_bytes = part->nruns * sizeof(struct vector_run);
    w->addresses = malloc(runs_bytes + part->nsegs * sizeof(void *));
    if (!w->addresses) armcii_fatal("out of memory for a get");
    struct vector_run *runs = (struct vector_run *)(void *)w->addresses;
    void **at = (void **)(void *)(runs + part->nruns);
    for (size_t i = 0; i < part->nruns; i++) {
        runs[i] = part->runs[i];
        memcpy(at, part->runs[i].local, runs[i].n * sizeof(void *));
        runs[i].local = at;
        at += runs[i].n;
    }
    w->shape.runs = runs;
}

/* Where there is no room to unpack from, MPI may receive it straight into place: the call does not wait for earlier gets. */
static bool goes_into_place(const struct shape *part)
{
    if (part->form == SHAPE_CONTIGUOUS) return true;
    return !armcii_pool_has(&pool, part->bytes) && armcii_wire_suits_mpi(part, SHAPE_LOCAL);
}

/* A buffer, when gets under way have left enough. */
static char *room_for(size_t bytes)
{
    struct patience p = {0};
    char *buffer;
    while (!(buffer = armcii_pool_take(&pool, bytes))) {
        send_all_open();
        turn(&p);
    }
    return buffer;
}

static void get_part(struct channel *c, const struct remote *from, const struct shape *part, uint64_t ticket)
{
    struct work *w = new_work(ticket, from->owner);
    MPI_Request reply;
    if (!goes_into_place(part)) {
        keep_addresses(w, part);
        w->buffer = room_for(part->bytes);
    }
    int tag = armcii_tag(); /* after all waiting: tags have the order of the requests */
    if (w->buffer)
        MPI_Irecv(w->buffer, (int)part->bytes, MPI_BYTE, from->agent, tag, comm, &reply);
    else
        armcii_wire_receive(comm, (struct wire_place){part->local, part, SHAPE_LOCAL}, from->agent, tag, &reply);
    enlist(w, reply);
    request(c, &(struct wire_request){.kind = WIRE_GET, .owner = from->owner, .tag = tag, .delta = from->delta}, part);
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
    armcii_wire_begin(&cursor, s, SHAPE_LOCAL, WIRE_REPLY);
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

static bool owes(int owner)
{
    if (owner < 0) return listed > 0;
    for (int i = 0; i < listed; i++)
        if (works[i]->owner == owner) return true;
    return false;
}

void armcii_client_finish_all(int owner)
{
    struct patience p = {0};
    while (owes(owner)) turn(&p);
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
    int tag = armcii_tag();
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
    return old;
}

static int ask_for_mutex(enum wire_kind kind, int agent, uint64_t set, int owner, uint64_t number)
{
    struct channel *c = channel(agent);
    struct kept_tag answer_tag;
    MPI_Request answer;
    int granted;
    armcii_tag_keep(&answer_tag);
    MPI_Irecv(&granted, sizeof granted, MPI_BYTE, agent, answer_tag.tag, comm, &answer);
    armcii_wire_encode_lock(kind, set, owner, number, answer_tag.tag, append(c, sizeof(struct wire_record), false));
    ask(c, &answer);
    armcii_tag_drop(&answer_tag);
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
}

/* ---- remote completion ---- */

static void wait_for_channel(struct channel *c)
{
    struct patience p = {0};
    while (c->open >= 0 || c->unacked > 0 || armcii_larges_of(c->agent)) {
        send_open(c);
        turn(&p);
    }
}

void armcii_client_fence(int process)
{
    const int *host = armcii_world->host_of;
    for (struct channel *c = channels; c; c = c->next)
        if (host[c->agent] == host[process]) send_open(c);
    for (struct channel *c = channels; c; c = c->next)
        if (host[c->agent] == host[process]) wait_for_channel(c);
}

void armcii_client_fence_all(void)
{
    send_all_open();
    for (struct channel *c = channels; c; c = c->next) wait_for_channel(c);
}

bool armcii_client_is_settled(void)
{
    for (const struct channel *c = channels; c; c = c->next)
        if (c->open >= 0 || c->unacked > 0) return false;
    return !armcii_larges_any();
}

/* ---- start and end ---- */

void armcii_client_start(MPI_Comm requests)
{
    comm = requests;
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
    armcii_wire_end_receive(&acks, &ack_request);
    for (int i = 0; i < BUFFERS; i++)
        if (state[i] == SENT) MPI_Wait(&sending[i], MPI_STATUS_IGNORE);
    while (channels) {
        struct channel *c = channels;
        channels = c->next;
        free(c);
    }
    armcii_pool_empty(&pool);
    free(channel_of);
    free(buffers);
    channel_of = NULL;
    buffers = NULL;
}
