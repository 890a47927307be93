/* server.c - receives requests in order for each client, applies them and replies. */
#include "transport/am/server.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/lock.h"
#include "node/heap.h"
#include "transport/shm/mutex.h"
#include "node/node.h"
#include "node/doorbell.h"
#include "transport/am/replies.h"
#include "transport/am/credit.h"
#include "transport/shm/shm.h"
#include "transport/am/inbox.h"
#include "transport/am/mutex_server.h"

/* A request that waits for credit: a get for that of its reply, a buffered rendezvous for that of
 * its data, a request for credit; or any request behind one. */
struct deferred {
    struct deferred *next;
    _Alignas(8) char request[];
};

struct client {
    int rank;
    uint16_t next_sequence;  /* of the message to serve next */
    uint32_t served;         /* bytes since the start, modulo 2^32 (proto.h) */
    struct deferred *oldest; /* its deferred requests; all later ones wait behind them */
    struct deferred **newest;
    uint32_t deferred; /* bytes of these requests */
    int32_t held_acks; /* messages to acknowledge when no request is deferred */
    /* With deferred requests the client is in one queue, or waits for its own pending replies. */
    bool is_queued, waits_for_own;
    struct client *next_queued;
};

struct client_queue {
    struct client *first, **last;
};

static struct {
    int ranks; /* of the communicator */
    atomic_bool here;
    atomic_uint poll_count; /* by threads that wait in the library */
    bool (*previous_hook)(void);
    pthread_mutex_t serving;
    struct am_decoded decoded;
    struct client *clients; /* [ranks] */
    int deferring;          /* clients with deferred requests */
    /* Those that have no reply pending, and wait for what others have: the first of each is served
     * before all that come later. */
    struct client_queue for_reply_credit, for_request_credit;
    /* To the client whose message, or deferred requests, are being served. It leaves with the last
     * of them, and before a longer reply: no reply waits for another client. */
    struct am_reply_bundle bundle;
} server = {.serving = PTHREAD_MUTEX_INITIALIZER,
            .for_reply_credit.last = &server.for_reply_credit.first,
            .for_request_credit.last = &server.for_request_credit.first};

/* ---- queues of clients ---- */

static void queue_add(struct client_queue *q, struct client *c)
{
    c->is_queued = true;
    c->next_queued = NULL;
    *q->last = c;
    q->last = &c->next_queued;
}

static void queue_remove_first(struct client_queue *q)
{
    q->first->is_queued = false;
    q->first = q->first->next_queued;
    if (!q->first) q->last = &q->first;
}

/* True if nobody waits there before the client. */
static bool is_first(const struct client_queue *q, const struct client *c)
{
    return !q->first || q->first == c;
}

/* ---- reply bundles ---- */

static void send_bundle(int client)
{
    const size_t bytes = offsetof(struct am_reply_bundle, replies) + server.bundle.bytes;
    if (server.bundle.bytes == 0 && !server.bundle.head.messages && !server.bundle.head.rndv_tag &&
        !server.bundle.head.credit.messages)
        return;
    server.bundle.head.served = server.clients[client].served;
    atomic_thread_fence(memory_order_seq_cst); /* acknowledged updates are visible to all */
    struct reply *reply = armcii_reply_new(client, bytes);
    memcpy(armcii_reply_data(reply), &server.bundle, bytes);
    armcii_reply_send(reply, AM_TAG_BUNDLE);
    if (server.bundle.bytes > 0) armcii_reply_count(reply, AM_REPLY_OVERHEAD + server.bundle.bytes);
    server.bundle.head = (struct am_reply_header){0};
    server.bundle.bytes = 0;
}

/* ---- what a client may not send ---- */

_Noreturn __attribute__((format(printf, 2, 3), cold)) static void refuse(int client,
                                                                         const char *format, ...)
{
    char what[sizeof server.decoded.wrong];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    armcii_fatal("rank %d sent an invalid request: %s", client, what);
}

static void decode(const struct am_request_header *r, size_t left, int client)
{
    if (!armcii_am_decode(r, left, &server.decoded)) refuse(client, "%s", server.decoded.wrong);
}

/* ---- completed replies ---- */

static void apply_update(const struct am_request_header *r, struct shape *s)
{
    if (r->kind == AM_PUT)
        armcii_apply_put(s);
    else
        armcii_apply_accumulate((enum element)r->element, r->scale, r->owner, s);
}

__attribute__((noinline)) static void serve_in_buffer(const struct am_request_header *r, int client)
{
    decode(r, r->length, client);
    apply_update(r, &server.decoded.shape);
}

static void acknowledge_rndv(const struct reply *reply)
{
    server.bundle.head.rndv_tag = reply->rndv_tag;
    send_bundle(reply->client);
}

/* ---- requests ---- */

/* Eager replies are copied, larger contiguous ones are zero-copy. */
static bool use_zcopy(const struct shape *s)
{
    return s->form == SHAPE_CONTIGUOUS && s->bytes > armcii_am_limits->eager_max;
}

static size_t reply_cost(const struct shape *s)
{
    return AM_REPLY_OVERHEAD +
           (use_zcopy(s) ? 0 : server.bundle.bytes + armcii_am_padded(s->bytes));
}

static void add_short_reply(struct shape *s, int client)
{
    if (server.bundle.bytes + s->bytes > sizeof server.bundle.replies) send_bundle(client);
    armcii_shape_set_packed(s, server.bundle.replies + server.bundle.bytes);
    armcii_apply_get(s);
    server.bundle.bytes += armcii_am_padded(s->bytes);
}

static void reply_to_get(const struct am_request_header *r, struct shape *s, int client)
{
    struct reply *reply;
    send_bundle(client);
    if (use_zcopy(s)) {
        reply = armcii_reply_new(client, 0);
        armcii_am_send_zcopy((struct am_zcopy){s->remote, s, SHAPE_REMOTE}, client, r->tag,
                             &reply->request);
    } else {
        reply = armcii_reply_new(client, s->bytes);
        armcii_shape_set_packed(s, armcii_reply_data(reply));
        armcii_apply_get(s);
        armcii_reply_send(reply, r->tag);
    }
    armcii_reply_count(reply, reply_cost(s));
}

/* The receive is posted. */
static void start_rndv(const struct am_request_header *r, struct reply *reply)
{
    reply->rndv_tag = r->tag;
    reply->awaited = (size_t)r->bytes;
    if (r->waits)
        armcii_reply_inline("", 0, reply->client, r->tag);
    else
        server.clients[reply->client].served += armcii_am_rndv_size(r->bytes);
}

static void serve_in_place(const struct am_request_header *r, const struct shape *s, int client)
{
    struct reply *reply = armcii_reply_new(client, 0);
    memcpy(&reply->flag, r->scale, sizeof reply->flag);
    armcii_am_receive_zcopy((struct am_zcopy){s->remote, s, SHAPE_REMOTE}, client,
                            r->tag + AM_TAG_DATA, &reply->request);
    start_rndv(r, reply);
}

/* Of the eager request. */
static size_t packed_length(const struct am_request_header *r)
{
    return r->length + armcii_am_padded((size_t)r->bytes);
}

static size_t packed_cost(const struct am_request_header *r)
{
    return armcii_bufpool_size(packed_length(r));
}

/* True if the server may take so much memory for the client now. */
static bool has_reply_credit(int client, size_t cost)
{
    return armcii_credit_is_reserved(client, cost) ||
           (is_first(&server.for_reply_credit, &server.clients[client]) &&
            armcii_credit_suffices(client, cost));
}

/* The buffer is an eager request when the data have arrived: of that length, without a tag. */
static void serve_buffered(const struct am_request_header *r, int client)
{
    struct reply *reply = armcii_reply_new(client, packed_length(r));
    struct am_request_header *eager = (struct am_request_header *)(void *)reply->buffer;
    memcpy(eager, r, r->length);
    eager->data = AM_EAGER;
    eager->waits = 0;
    eager->tag = 0;
    eager->length = (uint32_t)packed_length(r);
    reply->is_request = true;
    MPI_Irecv(reply->buffer + r->length, (int)r->bytes, MPI_BYTE, client, r->tag + AM_TAG_DATA,
              armcii_am_comm, &reply->request);
    armcii_reply_count(reply, packed_cost(r));
    start_rndv(r, reply);
}

/* Apply a put or an accumulate now, or receive its data first. */
static void serve_update(const struct am_request_header *r, struct shape *s, int client)
{
    switch ((enum am_data)r->data) {
    case AM_EAGER:
        atomic_thread_fence(memory_order_release); /* a flag after its data */
        apply_update(r, s);
        break;
    case AM_BUFFERED: serve_buffered(r, client); break;
    case AM_IN_PLACE: serve_in_place(r, s, client); break;
    }
}

static void serve_rmw(const struct am_request_header *r, const struct shape *s, int client)
{
    long operand;
    memcpy(&operand, r->scale, sizeof operand);
    long old = armcii_apply_rmw((enum rmw_update)r->element, s->bytes, s->remote, operand);
    armcii_reply_inline(&old, sizeof old, client, r->tag);
}

static void reply_mutex(int client, int tag, int granted)
{
    armcii_reply_inline(&granted, sizeof granted, client, tag);
}

static void grant_mutex(int client, int tag)
{
    reply_mutex(client, tag, 1);
}

static struct mutex *mutex_of(const struct am_request_header *r)
{
    return (struct mutex *)(uintptr_t)r->remote;
}

/* Words that a mutex cannot have are those of other memory. */
static struct mutex *mutex_to_lock(const struct am_request_header *r, int client)
{
    struct mutex *m = mutex_of(r);
    if (!armcii_mutex_is_plausible(m, (unsigned)server.ranks))
        refuse(client, "%s of %p, which is no mutex", armcii_am_kind_name((enum am_kind)r->kind),
               (void *)m);
    return m;
}

static bool trylock(struct mutex *m, int client)
{
    if (!armcii_mutex_trylock(m)) return false;
    armcii_mutex_set_holder(m, client);
    return true;
}

static void serve_unlock(const struct am_request_header *r, int holder)
{
    int client, tag;
    struct mutex *m = mutex_of(r);
    if (!armcii_mutex_is_held_by(m, holder))
        refuse(holder, "an unlock of %p, which it does not hold", (void *)m);
    if (armcii_mutex_server_unlock(m, &client, &tag)) grant_mutex(client, tag);
}

static void let_credit_expire(void)
{
    if (armcii_credit_tick()) armcii_replies_expire();
}

/* The client requests credit because what it had is used up or void; all that it has sent with it
 * is served. */
static bool has_request_credit(int client)
{
    armcii_credit_end(client);
    let_credit_expire();
    return is_first(&server.for_request_credit, &server.clients[client]) &&
           armcii_credit_offer(client).messages > 0;
}

static void serve_credit_request(int client)
{
    server.bundle.head.credit = armcii_credit_offer(client);
    armcii_credit_grant(client, server.bundle.head.credit);
}

__attribute__((always_inline)) static inline bool may_serve(const struct am_request_header *r,
                                                            const struct shape *s, int client)
{
    if (r->data == AM_BUFFERED) return has_reply_credit(client, packed_cost(r));
    switch ((enum am_kind)r->kind) {
    case AM_GET: return has_reply_credit(client, reply_cost(s));
    case AM_CREDIT: return has_request_credit(client);
    default: return true;
    }
}

/* False, with nothing done: there is no memory now for the reply to a get, or for a message. */
__attribute__((noinline)) static bool try_serve(const struct am_request_header *r, size_t left,
                                                int client)
{
    struct shape *s = &server.decoded.shape;
    decode(r, left, client);
    if (!may_serve(r, s, client)) return false;
    armcii_count(COUNTER_SERVED);
    switch ((enum am_kind)r->kind) {
    case AM_PUT:
    case AM_ACC: serve_update(r, s, client); break;
    case AM_CREDIT: serve_credit_request(client); break;
    case AM_GET:
        if (r->tag == 0)
            add_short_reply(s, client);
        else
            reply_to_get(r, s, client);
        break;
    case AM_RMW: serve_rmw(r, s, client); break;
    case AM_LOCK:
        if (armcii_mutex_server_lock(mutex_to_lock(r, client), client, r->tag))
            grant_mutex(client, r->tag);
        break;
    case AM_TRYLOCK: reply_mutex(client, r->tag, trylock(mutex_to_lock(r, client), client)); break;
    case AM_UNLOCK: serve_unlock(r, client); break;
    }
    return true;
}

/* ---- deferred requests ---- */

/* The request is checked before, too: its length tells where the next one begins. */
__attribute__((noinline)) static void defer(const struct am_request_header *r, size_t left,
                                            struct client *c)
{
    decode(r, left, c->rank);
    struct deferred *d = armcii_alloc(1, sizeof *d + r->length, "a request");
    memcpy(d->request, r, r->length);
    if (!c->oldest) {
        c->newest = &c->oldest;
        server.deferring++;
    }
    *c->newest = d;
    c->newest = &d->next;
    c->deferred += r->length;
}

static const struct am_request_header *oldest_request(const struct client *c)
{
    return (const struct am_request_header *)(const void *)c->oldest->request;
}

/* Serve the client's oldest deferred request if that is possible now. */
static bool serve_oldest(struct client *c)
{
    struct deferred *d = c->oldest;
    if (!d || !try_serve(oldest_request(c), oldest_request(c)->length, c->rank)) return false;
    c->deferred -= oldest_request(c)->length;
    c->served += oldest_request(c)->length;
    c->oldest = d->next;
    server.deferring -= !c->oldest;
    free(d);
    return true;
}

/* Credit does not return before: deferred requests take as much memory as their messages. */
static void send_replies_and_acks(struct client *c)
{
    if (!c->oldest) {
        server.bundle.head.messages = c->held_acks;
        c->held_acks = 0;
        armcii_credit_end_used(c->rank);
    }
    send_bundle(c->rank);
}

/* A client with replies under way does not keep others waiting until it takes them. */
static void wait_for_credit(struct client *c)
{
    if (c->is_queued || c->waits_for_own) return;
    if (oldest_request(c)->kind == AM_CREDIT)
        queue_add(&server.for_request_credit, c);
    else if (armcii_credit_is_used(c->rank))
        c->waits_for_own = true;
    else
        queue_add(&server.for_reply_credit, c);
}

/* Its requests at hand are served, or deferred. */
static void finish(struct client *c)
{
    send_replies_and_acks(c);
    if (c->oldest) wait_for_credit(c);
}

static void serve_all_possible(struct client *c)
{
    while (serve_oldest(c)) {
    }
    finish(c);
}

static bool serve_queue(struct client_queue *q)
{
    bool any = false;
    for (struct client *c; (c = q->first) != NULL && serve_oldest(c); any = true) {
        queue_remove_first(q);
        serve_all_possible(c);
    }
    return any;
}

/* O(requests served), not O(clients waiting). */
__attribute__((noinline)) static bool serve_deferred(void)
{
    let_credit_expire();
    if (!armcii_credit_was_freed()) return false;
    bool any = serve_queue(&server.for_reply_credit);
    any |= serve_queue(&server.for_request_credit);
    return any;
}

/* A client that waited for an earlier reply to itself is served again. */
static void reply_completed(const struct reply *reply)
{
    struct client *c = &server.clients[reply->client];
    if (reply->is_request)
        serve_in_buffer((const struct am_request_header *)(const void *)reply->buffer,
                        reply->client);
    if (reply->rndv_tag) acknowledge_rndv(reply);
    if (!reply->cost || !c->waits_for_own) return;
    c->waits_for_own = false;
    serve_all_possible(c);
}

/* ---- messages ---- */

static void check_message(const struct am_message *m)
{
    if (m->bytes < sizeof *m->head || m->head->bytes != m->bytes || m->head->acknowledge > 1)
        armcii_fatal("rank %d sent an invalid message of %zu bytes", m->client, m->bytes);
}

static void serve_message(const struct am_message *m)
{
    const char *message = (const char *)m->head;
    armcii_heap_drop_registrations(); /* the message may be for memory that was freed and allocated
                                         again */
    struct client *c = &server.clients[m->client];
    const uint32_t deferred_before = c->deferred;
    armcii_credit_count_message(m->client);
    for (size_t at = sizeof *m->head; at < m->bytes;) {
        const struct am_request_header *r =
            (const struct am_request_header *)(const void *)(message + at);
        if (c->oldest || !try_serve(r, m->bytes - at, m->client)) defer(r, m->bytes - at, c);
        at += r->length;
    }
    c->served += armcii_am_message_size(m->bytes) - (c->deferred - deferred_before);
    c->held_acks += m->head->acknowledge;
    finish(c);
}

/* The next one of the client; another one waits in its buffer, if the next one is on its way. */
static bool is_in_order(const struct am_message *m, int buffer)
{
    const uint16_t next = server.clients[m->client].next_sequence;
    if (m->head->sequence == next) return true;
    if (!armcii_inbox_has_earlier(buffer))
        armcii_fatal("rank %d sent message %d instead of %d", m->client, m->head->sequence, next);
    return false;
}

/* Serve each message that is the next of its client; true when there was any. */
static bool serve_in_order(void)
{
    bool any = false;
    for (int k = 0; k < armcii_inbox->count;) {
        const struct am_message *m = &armcii_inbox->message[k];
        check_message(m);
        if (!is_in_order(m, k)) {
            k++;
            continue;
        }
        server.clients[m->client].next_sequence++;
        serve_message(m);
        armcii_inbox_post(k);
        any = true;
    }
    return any;
}

/* Serve what has arrived; true when there was any. */
__attribute__((noinline)) static bool serve_arrivals(void)
{
    bool any = false;
    while (armcii_inbox->count > 0 && serve_in_order())
        any = true;
    return any;
}

bool armcii_server_is_here(void)
{
    return atomic_load_explicit(&server.here, memory_order_acquire);
}

/* True if no other thread serves, until end_serving. */
static bool begin_serving(void)
{
    if (!armcii_server_is_here() || pthread_mutex_trylock(&server.serving) != 0) return false;
    armcii_heap_drop_registrations(); /* memory that a network adapter has registered is not free
                                         before */
    return true;
}

static bool end_serving(void)
{
    bool any = armcii_inbox->count > 0 && serve_arrivals();
    any |= armcii_replies_progress();
    if (server.deferring) any |= serve_deferred();
    if (armcii_doorbell_clear())
        armcii_mutex_server_grant(grant_mutex); /* no message: says nothing about events */
    pthread_mutex_unlock(&server.serving);
    return any;
}

bool armcii_server_serve(void)
{
    if (!begin_serving()) return false;
    armcii_inbox_poll();
    return end_serving();
}

static void count_poll(void)
{
    atomic_fetch_add_explicit(&server.poll_count, 1, memory_order_relaxed);
}

bool armcii_server_poll(void)
{
    if (!armcii_server_is_here()) return false;
    count_poll();
    return armcii_server_serve();
}

MPI_Request *armcii_server_begin_poll(void)
{
    if (!begin_serving()) return NULL;
    count_poll();
    return armcii_inbox_oldest();
}

bool armcii_server_end_poll(const MPI_Status *arrived)
{
    if (arrived) armcii_inbox_complete(arrived);
    return end_serving();
}

unsigned armcii_server_poll_count(void)
{
    return atomic_load_explicit(&server.poll_count, memory_order_relaxed);
}

/* ---- start and end ---- */

void armcii_server_start(void)
{
    if (armcii_server_is_here()) return;
    MPI_Comm_size(armcii_am_comm, &server.ranks);
    armcii_credits_start(server.ranks);
    server.clients =
        armcii_alloc((size_t)server.ranks, sizeof *server.clients, "messages from other nodes");
    for (int i = 0; i < server.ranks; i++)
        server.clients[i].rank = i;
    armcii_inbox_start();
    armcii_replies_start(reply_completed);
    server.previous_hook = armcii_backoff.progress;
    armcii_backoff.progress = armcii_server_poll;
    atomic_store(&server.here, true);
}

void armcii_server_end(void)
{
    if (!armcii_server_is_here()) return;
    armcii_backoff.progress = server.previous_hook;
    atomic_store(&server.here, false);
    armcii_replies_end();
    armcii_inbox_end();
    armcii_mutex_server_end();
    assert(!server.deferring); /* all clients have completed their gets */
    armcii_credits_end();
    free(server.decoded.runs);
    server.decoded = (struct am_decoded){0};
    free(server.clients);
    server.clients = NULL;
}
