/* endpoint.c - send buffers, acknowledgements, progress. No function's cost depends on how many
 * endpoints there are, only on how many are dirty. */
#include "transport/am/endpoint.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/lock.h"
#include "progress/loop.h"
#include "transport/transport.h"
#include "mpi/world.h"
#include "transport/am/outstanding.h"
#include "transport/am/server.h"

/* ---- state of the endpoints ---- */

/* An open message or one being sent. Their number does not depend on the number of servers. */
enum { BUFFERS = 32 };
struct send_buffer {
    MPI_Request send; /* of the message; MPI_REQUEST_NULL: it is not being sent */
    _Alignas(64) char message[AM_MESSAGE_MAX];
};

enum { MAX_UNACKED = BUFFERS - 8 };

static struct {
    struct send_buffer *buffers;
    struct send_buffer *free[BUFFERS];
    int count; /* of the free buffers */
    struct endpoint *first_dirty;
    struct endpoints shared;     /* with the other files */
    unsigned walks;              /* of the dirty ones, begun and not ended */
    atomic_uint replies_pending; /* to messages, rendezvous and short gets; atomic: the
                                    progress thread reads it without the lock */
    atomic_uint stream_polls;
    atomic_uint acks_deferred; /* endpoints with a deferred one */
    struct am_receive any_bundle;
    MPI_Request bundle_request;
    struct am_reply_bundle bundle;
} endpoints;
const struct endpoints *const armcii_endpoints = &endpoints.shared;

/* ---- dirty endpoints ---- */

bool armcii_endpoint_is_unfenced(const struct endpoint *e)
{
    return e->open || e->acked < e->sent || e->deferred_at || e->rndvs;
}

static void remove_clean(void)
{
    for (struct endpoint **link = &endpoints.first_dirty, *e; (e = *link) != NULL;) {
        e->listed = armcii_endpoint_is_unfenced(e) || armcii_short_gets_pending(&e->gets) > 0;
        if (e->listed)
            link = &e->next_dirty;
        else
            *link = e->next_dirty;
    }
}

struct endpoint *armcii_endpoints_begin_walk(void)
{
    if (endpoints.walks++ == 0) remove_clean();
    return endpoints.first_dirty;
}

void armcii_endpoints_end_walk(void)
{
    endpoints.walks--;
}

/* ---- rendezvous puts and accumulates ---- */

/* The data are in place. */
static void remove_rndv(struct endpoint *e, int tag)
{
    armcii_rndv_remove(armcii_rndv_find(&e->rndvs, tag));
    endpoints.replies_pending--;
    armcii_tag_free(tag);
}

/* ---- progress ---- */

/* Request credit for the open message, which is too long for the window: for the longest message,
 * because this one may grow meanwhile. */
static void request_credit(struct endpoint *e)
{
    e->credit_request = (struct am_credit_request){
        .head = {.bytes = sizeof e->credit_request, .sequence = e->sequence++},
        .request = {.length = sizeof e->credit_request.request,
                    .kind = AM_CREDIT,
                    .bytes = armcii_am_limits->message_max}};
    e->transmitted += armcii_am_message_size(sizeof e->credit_request);
    e->unserved += armcii_am_message_size(sizeof e->credit_request);
    e->credit = (struct am_grant){0}; /* void */
    e->credit_requested = true;
    e->credit_requested_at = armcii_clock();
    endpoints.replies_pending++;
    MPI_Isend(&e->credit_request, sizeof e->credit_request, MPI_BYTE, e->server, AM_TAG_REQUEST,
              armcii_am_comm, &e->credit_send);
}

static void handle_grant(struct endpoint *e, struct am_grant credit)
{
    MPI_Wait(&e->credit_send, MPI_STATUS_IGNORE); /* the server has received it */
    e->credit_requested = false;
    e->credit = credit;
    e->credit_is_new = true;
    endpoints.replies_pending--;
}

/* The message for which credit was requested has it however late it came: else it would ask for
 * ever. */
static bool has_credit(const struct endpoint *e)
{
    return e->credit.messages > 0 &&
           (e->credit_is_new || armcii_clock() - e->credit_requested_at < AM_LEASE_US / 2);
}

static size_t window_of(const struct endpoint *e)
{
    return has_credit(e) ? e->credit.window * armcii_am_limits->message_max
                         : armcii_am_limits->window;
}

static void use_credit(struct endpoint *e)
{
    if (e->credit.messages > 0) e->credit.messages--;
    e->credit_is_new = false;
}

/* True if the open message, for which the window has no room now, must wait. If no acknowledgement
 * and no reply is on its way, which would open the window, request credit for it. */
static bool must_wait(struct endpoint *e, size_t window)
{
    if (e->acked < e->sent || e->credit_requested || e->replies > 0) return true;
    if (e->open->bytes <= window) return false;
    request_credit(e);
    return true;
}

static void defer_ack(struct endpoint *e)
{
    if (!e->deferred_at) endpoints.acks_deferred++;
    e->deferred_at = e->transmitted;
}

/* A later message requests it, or a reply has made it needless. */
static void end_deferral(struct endpoint *e)
{
    if (e->deferred_at) endpoints.acks_deferred--;
    e->deferred_at = 0;
}

bool armcii_endpoints_have_deferred_acks(void)
{
    return endpoints.acks_deferred > 0;
}

/* True if the acknowledgement of an update for which another process waits (a flag, an unlock) may
 * be left to a later message: a fence requests the acknowledgement if it needs it, and a reply to a
 * later request makes it needless. Allowed only while the unserved bytes fit into the socket, so
 * that no progress by this process is needed to deliver them. */
static bool may_defer_ack(const struct endpoint *e)
{
    return e->acked > 0 && e->unserved <= AM_MESSAGE_MAX;
}

/* What shows that the open message is served. */
enum proof {
    BY_ACK,       /* its acknowledgement, where its header requests one */
    BY_LATER_ACK, /* if that may be deferred, the one of a later message or a reply */
    BY_REPLY      /* a reply, soon */
};

/* Send the open message, if it fits into the window; data: bytes of rendezvous data that follow it
 * unasked, for which the window has room. */
static inline void send(struct endpoint *e, enum proof proof, uint32_t data)
{
    struct am_message_header *head = e->open;
    if (!head) return;
    const uint32_t size = armcii_am_message_size(head->bytes) + data;
    const size_t window = window_of(e);
    const bool waited = e->waits_for_window;
    e->waits_for_window = e->unserved + size > window && must_wait(e, window);
    if (e->waits_for_window) return;
    e->transmitted += size;
    e->unserved += size;
    if (proof == BY_LATER_ACK && head->acknowledge && !waited && may_defer_ack(e)) {
        head->acknowledge = 0;
        defer_ack(e);
    }
    e->open = NULL;
    use_credit(e);
    head->sequence = e->sequence++;
    if (e->unserved + armcii_am_limits->enough > armcii_am_limits->window && proof != BY_REPLY)
        head->acknowledge = 1;
    if (head->acknowledge) {
        end_deferral(e);
        e->sent++;
        endpoints.replies_pending++;
    }
    struct send_buffer *b =
        (void *)((char *)head - offsetof(struct send_buffer, message)); /* 64-aligned */
    armcii_count(COUNTER_MESSAGES);
    MPI_Isend(head, (int)head->bytes, MPI_BYTE, e->server, AM_TAG_REQUEST, armcii_am_comm,
              &b->send);
}

void armcii_endpoint_send(struct endpoint *e)
{
    send(e, BY_ACK, 0);
}

void armcii_endpoint_send_rndv(struct endpoint *e, const struct rndv *rndv, uint32_t bytes)
{
    armcii_rndv_add(&e->rndvs, rndv);
    endpoints.replies_pending++;
    send(e, BY_ACK, bytes);
}

bool armcii_endpoint_send_urgent(struct endpoint *e)
{
    const bool was_deferred = e->deferred_at;
    send(e, BY_LATER_ACK, 0);
    return e->deferred_at && !was_deferred;
}

static bool is_grant_right(const struct endpoint *e, struct am_grant g)
{
    if (g.messages == 0) return g.window == 0;
    return e->credit_requested && g.messages <= AM_LEASE_MESSAGES && g.window > 0 &&
           g.window <= AM_LEASE_WINDOW;
}

/* Why a server cannot have sent the reply bundle of so many bytes, whatever its replies are; NULL:
 * it can. The bytes served need no check: note_served takes a number that is too high or too low
 * for an old one. */
static inline const char *find_mistake(struct endpoint *e, size_t received)
{
    const struct am_reply_bundle *b = &endpoints.bundle;
    const struct am_reply_header *head = &b->head;
    if (!e) return "nothing was sent to it";
    if (received < offsetof(struct am_reply_bundle, replies) || b->bytes > sizeof b->replies ||
        received != offsetof(struct am_reply_bundle, replies) + b->bytes)
        return "its length";
    if ((uint64_t)head->messages > e->sent - e->acked) /* or negative */
        return "the number of acknowledged messages";
    if (head->rndv_tag != 0 && !*armcii_rndv_find(&e->rndvs, head->rndv_tag))
        return "the tag of a rendezvous";
    if (!is_grant_right(e, head->credit)) return "credit that is not requested";
    return NULL;
}

/* All that was sent until `transmitted`, modulo 2^32, is served; more may be known, since a reply
 * bundle may be older than what a reply has shown. */
static void note_served(struct endpoint *e, uint32_t transmitted)
{
    const uint32_t unserved = (uint32_t)e->transmitted - transmitted;
    if (unserved < e->unserved) e->unserved = unserved;
}

_Noreturn static void refuse_bundle(const MPI_Status *status, const char *mistake)
{
    armcii_fatal("rank %d sent an invalid reply bundle of %zu bytes: %s", status->MPI_SOURCE,
                 armcii_am_received(status), mistake);
}

static void take_replies(struct endpoint *e, const MPI_Status *status)
{
    const unsigned gets = armcii_short_gets_complete(&e->gets, endpoints.bundle.replies,
                                                     (size_t)endpoints.bundle.bytes);
    if (gets == 0) refuse_bundle(status, "replies to short gets");
    endpoints.replies_pending -= gets;
}

/* Handle a reply bundle, and send the open message that it releases. */
static void take_bundle(const MPI_Status *status)
{
    const struct am_reply_header *head = &endpoints.bundle.head;
    const size_t received = armcii_am_received(status);
    struct endpoint *e = endpoints.shared.of[status->MPI_SOURCE];
    const char *mistake = find_mistake(e, received);
    if (mistake) refuse_bundle(status, mistake);
    if (endpoints.bundle.bytes > 0) take_replies(e, status);
    e->acked += (uint64_t)head->messages;
    note_served(e, head->served);
    endpoints.replies_pending -= (unsigned)head->messages;
    if (head->rndv_tag) remove_rndv(e, head->rndv_tag);
    if (head->credit.messages > 0) handle_grant(e, head->credit);
    if (e->open && (e->acked == e->sent || e->waits_for_window)) armcii_endpoint_send(e);
}

/* The receive of the next reply bundle; NULL: none is expected, or none has come and no receive is
 * posted. It is posted here, after the request has left. */
static inline MPI_Request *bundle_receive(void)
{
    return endpoints.replies_pending > 0 &&
                   armcii_am_receive_ready(&endpoints.any_bundle, &endpoints.bundle,
                                           &endpoints.bundle_request)
               ? &endpoints.bundle_request
               : NULL;
}

/* Handle the reply bundles that have arrived. Tests only while some are expected: a call of MPI
 * costs. */
static bool poll_bundles(void)
{
    bool any = false;
    for (MPI_Request *receive; (receive = bundle_receive()) != NULL; any = true) {
        int arrived;
        MPI_Status status;
        MPI_Test(receive, &arrived, &status);
        if (!arrived) break;
        take_bundle(&status);
    }
    return any;
}

static bool reclaim_buffers(void)
{
    bool any = false;
    for (struct send_buffer *b = endpoints.buffers; b < endpoints.buffers + BUFFERS; b++) {
        int done = 0;
        if (b->send != MPI_REQUEST_NULL) MPI_Test(&b->send, &done, MPI_STATUS_IGNORE);
        if (!done) continue;
        endpoints.free[endpoints.count++] = b;
        any = true;
    }
    return any;
}

bool armcii_endpoints_progress(void)
{
    bool any = poll_bundles();
    any |= armcii_outstanding_progress();
    return any;
}

/* What a round of a wait tests: the next reply bundle, what the caller waits for, the next request
 * of another process. */
enum { BUNDLE, AWAITED, ARRIVAL, TESTED };

static inline MPI_Request value_of(const MPI_Request *request)
{
    return request ? *request : MPI_REQUEST_NULL;
}

/* Make progress on all that is pending here, and serve. awaited: tested, too, or NULL; when it is
 * complete, it is MPI_REQUEST_NULL. True when there was any. One call tests all, because each makes
 * progress in all of MPI. */
static bool poll_with(MPI_Request *awaited, MPI_Status *status)
{
    MPI_Request *const tested[TESTED] = {bundle_receive(), awaited, armcii_server_begin_poll()};
    MPI_Request requests[TESTED] = {value_of(tested[BUNDLE]), value_of(tested[AWAITED]),
                                    value_of(tested[ARRIVAL])};
    MPI_Status statuses[TESTED];
    const MPI_Status *arrived = NULL;
    int done, which[TESTED];
    MPI_Testsome(TESTED, requests, &done, which, statuses);
    if (done == MPI_UNDEFINED) done = 0;
    for (int i = 0; i < done; i++) {
        *tested[which[i]] = MPI_REQUEST_NULL;
        switch (which[i]) {
        case BUNDLE: take_bundle(&statuses[i]); break;
        case AWAITED: *status = statuses[i]; break;
        case ARRIVAL: arrived = &statuses[i]; break;
        }
    }
    bool any = done > 0;
    any |= armcii_outstanding_progress();
    if (tested[ARRIVAL]) any |= armcii_server_end_poll(arrived);
    return any;
}

bool armcii_endpoints_poll(void)
{
    return poll_with(NULL, NULL);
}

void armcii_am_progress(struct backoff *p)
{
    armcii_lock_backoff_after(armcii_endpoints_poll(), p);
}

static void wait_for(MPI_Request *request, MPI_Status *status)
{
    struct backoff p = {0};
    for (;;) {
        bool any = poll_with(request, status);
        if (*request == MPI_REQUEST_NULL) return;
        armcii_lock_backoff_after(any, &p);
    }
}

void armcii_endpoints_wait(MPI_Request *request)
{
    MPI_Status status;
    int done;
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (!done) wait_for(request, &status);
}

void armcii_endpoints_receive(MPI_Request *reply, size_t bytes)
{
    MPI_Status status;
    wait_for(reply, &status);
    const size_t received = armcii_am_received(&status);
    if (received != bytes)
        armcii_fatal("rank %d sent an invalid reply: %zu bytes instead of %zu", status.MPI_SOURCE,
                     received, bytes);
}

/* ---- sending ---- */

void armcii_endpoints_send(void)
{
    for (struct endpoint *e = armcii_endpoints_begin_walk(); e; e = e->next_dirty)
        armcii_endpoint_send(e);
    armcii_endpoints_end_walk();
}

static void list(struct endpoint *e)
{
    e->listed = true;
    e->next_dirty = endpoints.first_dirty;
    endpoints.first_dirty = e;
}

/* False: no buffer is free. */
static inline bool open_message(struct endpoint *e)
{
    if (endpoints.count == 0) return false;
    e->open = (void *)endpoints.free[--endpoints.count]->message;
    *e->open = (struct am_message_header){.bytes = sizeof *e->open};
    if (!e->listed) list(e);
    return true;
}

/* Send the open message, or those to other servers, whose buffers it needs. Other threads may open
 * messages meanwhile. */
__attribute__((noinline)) static void make_room(struct endpoint *e, struct backoff *p)
{
    if (e->waits_for_window) armcii_am_progress(p);
    if (e->open) {
        armcii_endpoint_send(e);
        return;
    }
    armcii_endpoints_send();
    if (!reclaim_buffers()) armcii_am_progress(p);
}

void armcii_endpoint_reserve(struct endpoint *e, size_t length)
{
    struct backoff p = {0};
    while (e->open ? e->open->bytes + length > armcii_am_limits->message_max : !open_message(e))
        make_room(e, &p);
}

/* A call of MPI costs more than a put. */
static void poll_now_and_then(struct endpoint *e)
{
    enum { POLL_EVERY = 16 };
    if (++e->appended % POLL_EVERY != 0) return;
    poll_bundles();
    atomic_fetch_add_explicit(&endpoints.stream_polls, 1, memory_order_relaxed);
}

/* Send at once if nothing is unacknowledged; else coalesce until nothing is or the message is full.
 */
void armcii_endpoint_send_if_due(struct endpoint *e)
{
    struct backoff p = {0};
    if (e->acked < e->sent) poll_now_and_then(e);
    if (e->acked == e->sent || (e->open && e->open->bytes >= armcii_am_limits->eager_max))
        armcii_endpoint_send(e);
    while (e->sent - e->acked > MAX_UNACKED)
        armcii_am_progress(&p);
}

struct am_shown armcii_endpoint_send_request(struct endpoint *e, bool soon)
{
    const struct am_shown before = {.transmitted = e->transmitted};
    send(e, soon ? BY_REPLY : BY_ACK, 0);
    if (!soon || e->open) return before;
    e->replies++;
    return (struct am_shown){e->transmitted, true};
}

void armcii_endpoint_note_reply(struct endpoint *e, struct am_shown shown)
{
    e->replies -= shown.opens_window;
    if (e->deferred_at <= shown.transmitted) end_deferral(e);
    note_served(e, (uint32_t)shown.transmitted);
    if (e->waits_for_window) armcii_endpoint_send(e);
}

void armcii_endpoint_add_get(struct endpoint *e, struct outstanding *o)
{
    armcii_short_gets_add(&e->gets, o);
    endpoints.replies_pending++;
}

/* Send at once if few gets are under way, else coalesce until a reply arrives or somebody waits.
 */
void armcii_endpoint_send_gets_if_due(struct endpoint *e)
{
    enum { AT_ONCE = 4 };
    if (armcii_short_gets_pending(&e->gets) <= AT_ONCE)
        armcii_endpoint_send(e);
    else
        poll_now_and_then(e);
}

bool armcii_endpoint_fits_window(const struct endpoint *e, uint32_t bytes)
{
    return e->unserved + bytes + 2 * armcii_am_limits->message_max <=
           armcii_am_limits->window; /* the open message, the request */
}

unsigned armcii_endpoints_stream_polls(void)
{
    return atomic_load_explicit(&endpoints.stream_polls, memory_order_relaxed);
}

bool armcii_endpoints_are_busy(void)
{
    return armcii_outstanding_any() || endpoints.replies_pending > 0;
}

/* ---- leaving the library ---- */

uint64_t armcii_endpoint_to_be_acked(const struct endpoint *e)
{
    return e->sent + (e->open && e->open->acknowledge);
}

/* The first message makes the connection, which takes several calls of MPI on both sides. Then the
 * system takes that many bytes and delivers them without this process. */
static bool arrives_without_progress(const struct endpoint *e)
{
    if (e->open || e->rndvs || e->unserved > AM_MESSAGE_MAX) return false;
    return e->acked == e->sent || (e->acked > 0 && !armcii_outstanding_any());
}

void armcii_endpoint_push(struct endpoint *e)
{
    if (!arrives_without_progress(e)) armcii_progress_thread_wake_if_asleep();
}

struct endpoint *armcii_endpoint_connect(int rank)
{
    struct endpoint *e = armcii_alloc(1, sizeof *e, "messages to other nodes");
    e->server = rank;
    endpoints.shared.of[rank] = e;
    return e;
}

/* ---- start and end ---- */

void armcii_endpoints_start(void)
{
    endpoints.buffers = aligned_alloc(64, BUFFERS * sizeof *endpoints.buffers);
    endpoints.shared.of = armcii_alloc((size_t)armcii_world->size, sizeof *endpoints.shared.of,
                                       "messages to other nodes");
    if (!endpoints.buffers) armcii_fatal("out of memory for messages to other nodes");
    for (int i = 0; i < BUFFERS; i++) {
        endpoints.buffers[i].send = MPI_REQUEST_NULL;
        endpoints.free[BUFFERS - 1 - i] = &endpoints.buffers[i];
    }
    endpoints.count = BUFFERS;
    endpoints.any_bundle = (struct am_receive){AM_TAG_BUNDLE, sizeof endpoints.bundle};
    endpoints.bundle_request = MPI_REQUEST_NULL;
}

void armcii_endpoints_end(void)
{
    if (!endpoints.buffers) return;
    armcii_am_receives_drain(&endpoints.any_bundle, 1, &endpoints.bundle_request);
    for (int i = 0; i < BUFFERS; i++)
        MPI_Wait(&endpoints.buffers[i].send, MPI_STATUS_IGNORE);
    for (int i = 0; i < armcii_world->size; i++)
        free(endpoints.shared.of[i]);
    endpoints.first_dirty = NULL;
    endpoints.walks = 0;
    armcii_outstanding_end();
    free(endpoints.shared.of);
    free(endpoints.buffers);
    endpoints.shared.of = NULL;
    endpoints.buffers = NULL;
}
