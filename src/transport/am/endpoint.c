/* endpoint.c - outstanding operations and tags of replies; send buffers, rendezvous puts, acknowledgements, progress and fences of all
 * endpoints. */
#include "transport/am/am.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/lock.h"
#include "progress/thread.h"
#include "mpi/team.h"
#include "mpi/world.h"

/* ---- operations that are not complete locally ---- */

enum { MAX_OUTSTANDING = 256 };
static struct outstanding *outstanding[MAX_OUTSTANDING];
static MPI_Request outstanding_requests[MAX_OUTSTANDING]; /* one array for MPI_Testsome: a call of MPI costs as much as a message */
static int outstanding_size;
static atomic_uint outstanding_count; /* the list and those not yet started; any thread may read it without the lock */
struct bufpool armcii_outstanding_buffers = {.max_bytes = 8 << 20};

struct outstanding *armcii_outstanding_new(uint64_t id, int owner)
{
    if (outstanding_count >= MAX_OUTSTANDING) return NULL;
    struct outstanding *o = armcii_alloc(1, sizeof *o, "an operation");
    o->id = id;
    o->owner = owner;
    outstanding_count++;
    return o;
}

/* Copy the addresses: the program may reuse its lists before the data arrive. */
static void copy_addresses(struct outstanding *o, const struct shape *s)
{
    size_t runs_bytes = s->nruns * sizeof(struct vector_run);
    o->addresses = malloc(runs_bytes + s->nsegs * sizeof(void *));
    if (!o->addresses) armcii_fatal("out of memory for a get");
    struct vector_run *runs = (struct vector_run *)(void *)o->addresses;
    void **at = (void **)(void *)(runs + s->nruns);
    for (size_t i = 0; i < s->nruns; i++) {
        runs[i] = s->runs[i];
        memcpy(at, s->runs[i].local, runs[i].n * sizeof(void *));
        runs[i].local = at;
        at += runs[i].n;
    }
    o->shape.runs = runs;
}

void armcii_outstanding_set_unpack(struct outstanding *o, const struct shape *s, char *buffer)
{
    o->shape = *s;
    o->buffer = buffer;
    if (s->form == SHAPE_VECTOR) copy_addresses(o, s);
}

void armcii_outstanding_start(struct outstanding *o, MPI_Request request)
{
    outstanding[outstanding_size] = o;
    outstanding_requests[outstanding_size++] = request;
}

static void complete_outstanding(struct outstanding *o)
{
    if (o->buffer) {
        armcii_shape_unpack(&o->shape, SHAPE_LOCAL, o->buffer);
        armcii_bufpool_free(&armcii_outstanding_buffers, o->buffer, o->shape.bytes);
    }
    if (o->tag) armcii_tag_free(o->tag);
    free(o->addresses);
    free(o);
    outstanding_count--;
}

/* Remove completed entries, in order. */
static void compact_outstanding(void)
{
    int n = 0;
    for (int i = 0; i < outstanding_size; i++) {
        if (!outstanding[i]) continue;
        outstanding[n] = outstanding[i];
        outstanding_requests[n++] = outstanding_requests[i];
    }
    outstanding_size = n;
}

/* Complete what MPI has finished; true when there was any. */
static bool progress_outstanding(void)
{
    static MPI_Status statuses[MAX_OUTSTANDING]; /* compilers take MPI_STATUSES_IGNORE for an array that is too short */
    int done, index[MAX_OUTSTANDING];
    if (outstanding_size == 0) return false;
    MPI_Testsome(outstanding_size, outstanding_requests, &done, index, statuses);
    if (done == 0 || done == MPI_UNDEFINED) return false;
    for (int i = 0; i < done; i++) {
        complete_outstanding(outstanding[index[i]]);
        outstanding[index[i]] = NULL;
    }
    compact_outstanding();
    return true;
}

bool armcii_outstanding_has(uint64_t id)
{
    for (int i = 0; i < outstanding_size; i++)
        if (outstanding[i]->id == id) return true;
    return false;
}

bool armcii_outstanding_to(int owner, uint64_t id)
{
    for (int i = 0; i < outstanding_size; i++)
        if ((owner < 0 || outstanding[i]->owner == owner) && outstanding[i]->id <= id) return true;
    return false;
}

/* ---- tags of replies ---- */

static bool tag_in_use[AM_TAGS];
static int last_tag, tags_in_use;

int armcii_tag_alloc(void)
{
    if (tags_in_use == AM_TAGS) return 0;
    do
        last_tag = (last_tag + 1) % AM_TAGS;
    while (tag_in_use[last_tag]);
    tag_in_use[last_tag] = true;
    tags_in_use++;
    return AM_TAG_FIRST + last_tag;
}

void armcii_tag_free(int tag)
{
    tag_in_use[tag - AM_TAG_FIRST] = false;
    tags_in_use--;
}

/* ---- state of the endpoints ---- */

MPI_Comm armcii_endpoints_comm;

/* An open message or one being sent. Their number does not depend on the number of servers. */
enum { BUFFERS = 32 };
struct send_buffer {
    _Alignas(64) char bytes[AM_MESSAGE_MAX];
};
static struct send_buffer *buffers;
static MPI_Request send_requests[BUFFERS];
static enum { FREE, OPEN, SENT } state[BUFFERS];

struct endpoint {
    int server;
    int open;             /* buffer of the open message; -1: none */
    uint16_t sequence;    /* number of the next message */
    uint64_t sent, acked; /* messages that request an acknowledgement; acknowledged ones */
    size_t bytes_unacked; /* of the messages sent but not acknowledged */
    uint32_t charged;     /* credits of what was sent, modulo 2^32 (proto.h) */
    uint32_t granted;
    uint32_t rndv_credits; /* of the open message */
    bool due;              /* the open message waits for its grant only */
    unsigned appended;     /* updates, for armcii_endpoint_send_if_due */
    struct endpoint *next;
};
static struct endpoint **endpoint_of; /* [world size + progress ranks] */
static struct endpoint *endpoints;
enum { MAX_UNACKED = BUFFERS - 8 };

static struct am_ack ack;
static MPI_Request ack_request;
static struct am_receive any_ack;
static atomic_uint acks_pending; /* of messages and rendezvous puts; atomic: the progress thread reads it without the lock */
bool armcii_endpoints_have_thread;

static void post_ack_receive(void)
{
    armcii_am_receive_post(&any_ack, &ack, &ack_request);
}

/* ---- rendezvous puts ---- */

static struct rndv {
    struct rndv *next;
    struct rndv_put put;
    uint64_t number; /* from 1 on */
} * rndvs;
static uint64_t rndvs_added;

void armcii_rndv_add(struct endpoint *e, const struct rndv_put *put, size_t bytes)
{
    struct rndv *r = armcii_alloc(1, sizeof *r, "a put");
    *r = (struct rndv){rndvs, *put, ++rndvs_added};
    rndvs = r;
    acks_pending++;
    e->rndv_credits += armcii_am_rndv_credits(bytes);
}

/* The data of the put are in place. */
static void remove_rndv(int server, int tag)
{
    for (struct rndv **link = &rndvs; *link; link = &(*link)->next) {
        struct rndv *r = *link;
        if (r->put.server != server || r->put.tag != tag) continue;
        *link = r->next;
        free(r);
        break;
    }
    armcii_tag_free(tag);
}

bool armcii_rndv_any(void)
{
    for (const struct endpoint *e = endpoints; e; e = e->next)
        if (e->due) return true;
    return rndvs != NULL;
}

/* Is any of the first `count` puts not in place at the server? */
static bool has_rndv(int server, uint64_t count)
{
    const struct rndv *r = rndvs;
    while (r && (r->put.server != server || r->number > count))
        r = r->next;
    return r != NULL;
}

bool armcii_rndv_overlaps(int owner, const char *lo, const char *hi)
{
    for (const struct rndv *r = rndvs; r; r = r->next)
        if (r->put.owner == owner && r->put.lo < hi && lo < r->put.hi) return true;
    return false;
}

/* ---- progress ---- */

static struct am_message_header *header_of(int buffer)
{
    return (struct am_message_header *)(void *)buffers[buffer].bytes;
}

/* Without a progress thread only calls of the program send what the system does not take at once: count what may fill a connection. */
static bool needs_ack(const struct am_message_header *head)
{
    enum { SMALL = 256 }; /* bytes: gets, rmws and mutexes: the limit of outstanding operations covers them */
    return !armcii_endpoints_have_thread && head->bytes > SMALL;
}

static uint64_t unacked(const struct endpoint *e)
{
    return e->sent - e->acked;
}

static size_t credits(const struct endpoint *e)
{
    return (int32_t)(e->granted - e->charged) > 0 ? e->granted - e->charged : 0;
}

void armcii_endpoint_send(struct endpoint *e)
{
    if (e->open < 0) return;
    int b = e->open;
    struct am_message_header *head = header_of(b);
    const uint32_t charge = head->bytes + e->rndv_credits;
    e->due = charge > credits(e) && unacked(e) > 0; /* an acknowledgement with a grant is on its way */
    if (e->due) head->acknowledge = 1;              /* fences count it */
    if (e->due) return;
    e->charged += charge;
    e->rndv_credits = 0;
    e->open = -1;
    state[b] = SENT;
    head->sequence = e->sequence++;
    if (needs_ack(head) || credits(e) < armcii_am_message_max()) head->acknowledge = 1;
    if (head->acknowledge) {
        e->sent++;
        e->bytes_unacked += head->bytes;
        acks_pending++;
    }
    MPI_Isend(buffers[b].bytes, (int)head->bytes, MPI_BYTE, e->server, AM_TAG_REQUEST, armcii_endpoints_comm, &send_requests[b]);
}

static void handle_ack(struct endpoint *e)
{
    if (ack.bytes) {
        e->acked++;
        e->bytes_unacked -= (size_t)ack.bytes;
    }
    if (ack.rndv_tag) remove_rndv(e->server, ack.rndv_tag);
    e->granted = ack.granted;
    acks_pending--;
}

/* Handle the acknowledgements that have arrived, and send the open messages they release. Tests only while some are expected: a call of MPI
 * costs. */
static bool poll_acks(void)
{
    bool any = false;
    while (acks_pending > 0) {
        int server;
        if (!armcii_am_receive_test(&any_ack, &ack, &ack_request, &server)) return any;
        struct endpoint *e = endpoint_of[server];
        handle_ack(e);
        post_ack_receive();
        if (unacked(e) == 0 || e->due) armcii_endpoint_send(e);
        any = true;
    }
    return any;
}

static bool reclaim_buffers(void)
{
    bool any = false;
    for (int i = 0; i < BUFFERS; i++) {
        int done = 0;
        if (state[i] == SENT) MPI_Test(&send_requests[i], &done, MPI_STATUS_IGNORE);
        if (!done) continue;
        state[i] = FREE;
        any = true;
    }
    return any;
}

bool armcii_endpoints_progress(void)
{
    bool any = poll_acks();
    any |= progress_outstanding();
    return any;
}

/* Other threads come in after each round, however much there is to serve: the caller may wait for one of them. */
void armcii_am_progress(struct backoff *p)
{
    bool any = armcii_endpoints_progress();
    any |= armcii_server_poll();
    if (any)
        *p = (struct backoff){0};
    else if (!armcii_backoff_spin(p))
        armcii_backoff_block(p);
    armcii_lock_yield();
}

void armcii_endpoints_wait(MPI_Request *request)
{
    struct backoff p = {0};
    for (;;) {
        int done;
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done) return;
        armcii_am_progress(&p);
    }
}

/* ---- sending ---- */

void armcii_endpoints_send(void)
{
    for (struct endpoint *e = endpoints; e; e = e->next)
        armcii_endpoint_send(e);
}

static int find_free_buffer(void)
{
    for (int i = 0; i < BUFFERS; i++)
        if (state[i] == FREE) return i;
    return -1;
}

/* A buffer for a new message; open messages to other servers are sent to free one. */
static int alloc_buffer(void)
{
    struct backoff p = {0};
    int b = find_free_buffer();
    while (b < 0) {
        armcii_endpoints_send();
        if (!reclaim_buffers()) armcii_am_progress(&p);
        b = find_free_buffer();
    }
    state[b] = OPEN;
    *header_of(b) = (struct am_message_header){.bytes = sizeof(struct am_message_header)};
    return b;
}

static void open_message(struct endpoint *e)
{
    int b = alloc_buffer();
    if (e->open < 0)
        e->open = b;
    else /* another thread has opened one */
        state[b] = FREE;
}

static bool has_room(const struct endpoint *e, size_t length)
{
    return e->open >= 0 && header_of(e->open)->bytes + length <= armcii_am_message_max();
}

char *armcii_endpoint_append(struct endpoint *e, size_t length, bool acknowledge)
{
    struct backoff p = {0};
    while (!has_room(e, length)) {
        if (e->due) armcii_am_progress(&p);
        armcii_endpoint_send(e);
        if (e->open < 0) open_message(e);
    }
    struct am_message_header *head = header_of(e->open);
    char *at = (char *)head + head->bytes;
    head->bytes += (uint32_t)length;
    if (acknowledge) head->acknowledge = 1;
    return at;
}

/* Send at once if nothing is unacknowledged, else coalesce until it is or the message is full. Poll only every POLL_EVERY updates: a call
 * of MPI costs more than a put. */
void armcii_endpoint_send_if_due(struct endpoint *e)
{
    enum { POLL_EVERY = 16 };
    struct backoff p = {0};
    if (unacked(e) > 0 && ++e->appended % POLL_EVERY == 0) poll_acks();
    if (unacked(e) == 0 || (e->open >= 0 && header_of(e->open)->bytes >= armcii_am_eager_max())) armcii_endpoint_send(e);
    while (unacked(e) > MAX_UNACKED)
        armcii_am_progress(&p);
}

bool armcii_endpoint_may_rndv(struct endpoint *e, size_t bytes)
{
    struct backoff p = {0};
    const size_t needed = armcii_am_rndv_credits(bytes) + e->rndv_credits + 2 * armcii_am_message_max(); /* the open message, the request */
    const uint64_t sent = e->sent, puts = rndvs_added;
    if (bytes > AM_UNEXPECTED_MAX) return true;
    while (credits(e) < needed && (e->acked < sent || has_rndv(e->server, puts)))
        armcii_am_progress(&p);
    return credits(e) >= needed;
}

bool armcii_endpoints_are_busy(void)
{
    return outstanding_count > 0 || acks_pending > 0;
}

/* ---- leaving the library ---- */

/* The first message makes the connection, which takes several calls of MPI on both sides. Then the system takes that many bytes and
 * delivers them without this process. */
static bool arrives_without_progress(const struct endpoint *e)
{
    bool connected = e->acked > 0 || e->sent == 0;
    return connected && e->open < 0 && e->bytes_unacked <= armcii_am_message_max() && !has_rndv(e->server, rndvs_added);
}

/* The progress thread delivers; without one, wait until the system can. */
void armcii_endpoint_leave(struct endpoint *e)
{
    struct backoff p = {0};
    if (arrives_without_progress(e)) return;
    if (armcii_endpoints_have_thread) {
        if (!armcii_server_is_here()) armcii_progress_thread_wake_if_asleep(); /* the thread of a server polls soon */
        return;
    }
    const uint64_t puts = rndvs_added;
    const uint16_t number = e->sequence;
    armcii_endpoint_send(e);
    while ((e->due && e->sequence == number) || e->bytes_unacked > armcii_am_message_max() || has_rndv(e->server, puts))
        armcii_am_progress(&p);
}

void armcii_endpoints_leave(void)
{
    for (struct endpoint *e = endpoints; e; e = e->next)
        armcii_endpoint_leave(e);
}

/* Complete the connection where no progress thread does. */
static void connect(struct endpoint *e)
{
    struct backoff p = {0};
    armcii_endpoint_append(e, 0, true);
    armcii_endpoint_send(e);
    while (e->acked == 0)
        armcii_am_progress(&p);
}

struct endpoint *armcii_endpoint(int server)
{
    struct endpoint *e = endpoint_of[server];
    if (e) return e;
    e = armcii_alloc(1, sizeof *e, "messages to other nodes");
    *e = (struct endpoint){.server = server, .open = -1, .next = endpoints};
    endpoints = endpoint_of[server] = e;
    if (!armcii_endpoints_have_thread) connect(e);
    return e;
}

/* ---- remote completion ---- */

/* The messages that request an acknowledgement, with the open one. */
static uint64_t to_be_acked(const struct endpoint *e)
{
    return e->sent + (e->open >= 0 && header_of(e->open)->acknowledge);
}

/* Only for what is outstanding now: other threads may keep adding. */
static void wait_acked(struct endpoint *e)
{
    struct backoff p = {0};
    armcii_endpoint_send(e);
    const uint64_t sent = to_be_acked(e), puts = rndvs_added;
    while (e->acked < sent || has_rndv(e->server, puts))
        armcii_am_progress(&p);
}

void armcii_endpoint_order(int server, int owner, const char *lo, const char *hi)
{
    struct backoff p = {0};
    struct endpoint *e = endpoint_of[server];
    if (!e) return;
    armcii_endpoint_send(e);
    const uint64_t sent = to_be_acked(e);
    while (e->acked < sent || armcii_rndv_overlaps(owner, lo, hi))
        armcii_am_progress(&p);
}

/* Send to all servers in scope first, then wait. */
static void fence(bool (*in_scope)(int server, const void *scope), const void *scope)
{
    for (struct endpoint *e = endpoints; e; e = e->next)
        if (in_scope(e->server, scope)) armcii_endpoint_send(e);
    for (struct endpoint *e = endpoints; e; e = e->next)
        if (in_scope(e->server, scope)) wait_acked(e);
}

static bool serves_process(int server, const void *process)
{
    return armcii_world->server_of[server] == armcii_world->server_of[*(const int *)process];
}

static bool serves_team(int server, const void *team)
{
    return armcii_team_is_on_node(team, armcii_world->node_of[server]);
}

static bool serves_any(int server, const void *unused)
{
    (void)server, (void)unused;
    return true;
}

void armcii_endpoints_fence(int process)
{
    fence(serves_process, &process);
}

void armcii_endpoints_fence_team(const struct team *team)
{
    fence(serves_team, team);
}

void armcii_endpoints_fence_all(void)
{
    fence(serves_any, NULL);
}

bool armcii_endpoints_are_quiet(void)
{
    for (const struct endpoint *e = endpoints; e; e = e->next)
        if (e->open >= 0 || unacked(e) > 0) return false;
    return !armcii_rndv_any();
}

/* ---- start and end ---- */

void armcii_endpoints_start(MPI_Comm comm)
{
    armcii_endpoints_comm = comm;
    armcii_endpoints_have_thread = armcii_world->progress_ranks == 0;
    buffers = aligned_alloc(64, BUFFERS * sizeof *buffers);
    endpoint_of = armcii_alloc((size_t)(armcii_world->size + armcii_world->progress_ranks), sizeof *endpoint_of, "messages to other nodes");
    if (!buffers) armcii_fatal("out of memory for messages to other nodes");
    for (int i = 0; i < BUFFERS; i++)
        state[i] = FREE;
    any_ack = (struct am_receive){armcii_endpoints_comm, AM_TAG_ACK, sizeof ack};
    post_ack_receive();
}

void armcii_endpoints_end(void)
{
    if (!buffers) return;
    armcii_am_receives_drain(&any_ack, 1, &ack_request);
    for (int i = 0; i < BUFFERS; i++)
        if (state[i] == SENT) MPI_Wait(&send_requests[i], MPI_STATUS_IGNORE);
    while (endpoints) {
        struct endpoint *e = endpoints;
        endpoints = e->next;
        free(e);
    }
    armcii_bufpool_drain(&armcii_outstanding_buffers);
    free(endpoint_of);
    free(buffers);
    endpoint_of = NULL;
    buffers = NULL;
}
