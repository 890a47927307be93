/* endpoint.c - endpoints: buffers for messages, acknowledgements, progress, fences. */
#include "transport/am/endpoint.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/lock.h"
#include "transport/am/server.h"
#include "transport/am/outstanding.h"
#include "progress/thread.h"
#include "transport/am/proto.h"
#include "mpi/team.h"
#include "mpi/world.h"

MPI_Comm armcii_endpoints_comm;

/* ---- what is outstanding ---- */

/* A message being put together, or on its way.  There are a few, whatever the number of servers. */
enum { BUFFERS = 32 };
struct buffer {
    _Alignas(64) char bytes[AM_MESSAGE_MAX];
};
static struct buffer *buffers;
static MPI_Request sending[BUFFERS];
static enum { FREE, OPEN, SENT } state[BUFFERS];

/* A server this process has asked something of. */
struct endpoint {
    int server;
    int open;              /* buffer of requests not yet sent; -1: none */
    uint16_t sequence;     /* number of the next message */
    uint64_t sent, acked;  /* messages that are to be acknowledged, and that were */
    size_t bytes_unacked;  /* of those in between */
    unsigned appended;     /* updates, since it was asked for acknowledgements: see send_when_due */
    struct endpoint *next;
};
static struct endpoint **endpoint_of; /* [world size, and ranks set progress_ranks] */
static struct endpoint *endpoints;
enum { MOST_UNACKED = BUFFERS - 8 };

static struct am_ack ack;
static MPI_Request ack_request;
static struct am_receive acks;
static atomic_uint acks_to_come; /* of all servers, large puts too; atomic: the progress thread asks without the lock */
bool armcii_endpoints_have_thread;

static void expect_ack(void)
{
    armcii_am_receive_post(&acks, &ack, &ack_request);
}

/* ---- progress ---- */

static struct am_message_header *head_of(int buffer)
{
    return (struct am_message_header *)(void *)buffers[buffer].bytes;
}

/* Where nobody but the program sends what the system did not take: count all that may fill a connection. */
static bool must_be_tracked(const struct am_message_header *head)
{
    enum { SMALL = 256 }; /* bytes: a get, an rmw, a mutex; what limits operations under way limits these */
    return !armcii_endpoints_have_thread && head->bytes > SMALL;
}

static uint64_t unacked(const struct endpoint *e)
{
    return e->sent - e->acked;
}

void armcii_endpoint_send(struct endpoint *e)
{
    if (e->open < 0) return;
    int b = e->open;
    struct am_message_header *head = head_of(b);
    e->open = -1;
    state[b] = SENT;
    head->sequence = e->sequence++;
    if (must_be_tracked(head)) head->acknowledge = 1;
    if (head->acknowledge) {
        e->sent++;
        e->bytes_unacked += head->bytes;
        acks_to_come++;
    }
    MPI_Isend(buffers[b].bytes, (int)head->bytes, MPI_BYTE, e->server, AM_TAG_REQUEST, armcii_endpoints_comm, &sending[b]);
}

static void take_ack(struct endpoint *e)
{
    if (ack.bytes) {
        e->acked++;
        e->bytes_unacked -= (size_t)ack.bytes;
    }
    if (ack.rndv_tag) {
        armcii_rndv_remove(e->server, ack.rndv_tag);
        armcii_tag_free(ack.rndv_tag);
    }
    acks_to_come--;
}

/* Updates that wait for an earlier message to arrive go when it has.  Asking MPI costs: only where an acknowledgement is to come. */
static bool take_acks(void)
{
    bool any = false;
    while (acks_to_come > 0) {
        int server;
        if (!armcii_am_receive_test(&acks, &ack, &ack_request, &server)) return any;
        struct endpoint *e = endpoint_of[server];
        take_ack(e);
        expect_ack();
        if (unacked(e) == 0) armcii_endpoint_send(e);
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

bool armcii_endpoints_progress(void)
{
    bool any = take_acks();
    any |= armcii_outstanding_progress();
    return any;
}

/* One turn of any wait: whatever can advance does, the server in this process too.  Other threads come in after each, however much there
 * is to serve: the one that is waited for may be among them. */
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
    for (struct endpoint *e = endpoints; e; e = e->next) armcii_endpoint_send(e);
}

static int free_buffer(void)
{
    for (int i = 0; i < BUFFERS; i++)
        if (state[i] == FREE) return i;
    return -1;
}

/* A buffer for a new message; where all are taken by messages to other servers, these are sent. */
static int take_buffer(void)
{
    struct backoff p = {0};
    int b = free_buffer();
    while (b < 0) {
        armcii_endpoints_send();
        if (!free_buffers()) armcii_am_progress(&p);
        b = free_buffer();
    }
    state[b] = OPEN;
    *head_of(b) = (struct am_message_header){.bytes = sizeof(struct am_message_header)};
    return b;
}

/* Room for a record of so many bytes in the open message to the server. */
char *armcii_endpoint_append(struct endpoint *e, size_t length, bool acknowledge)
{
    if (e->open >= 0 && head_of(e->open)->bytes + length > armcii_am_message_max()) armcii_endpoint_send(e);
    while (e->open < 0) { /* while it waits for a buffer another thread may open one */
        int b = take_buffer();
        if (e->open < 0)
            e->open = b;
        else
            state[b] = FREE;
        if (head_of(e->open)->bytes + length > armcii_am_message_max()) armcii_endpoint_send(e);
    }
    struct am_message_header *head = head_of(e->open);
    char *at = (char *)head + head->bytes;
    head->bytes += (uint32_t)length;
    if (acknowledge) head->acknowledge = 1;
    return at;
}

/* Small updates go at once where nothing is under way, else together when that has arrived, the message is long, or somebody asks.
 * Whether it has arrived is asked now and then: asking MPI costs more than a put. */
void armcii_endpoint_send_when_due(struct endpoint *e)
{
    enum { POLL_EVERY = 16 };
    struct backoff p = {0};
    if (unacked(e) > 0 && ++e->appended % POLL_EVERY == 0) take_acks();
    if (unacked(e) == 0 || (e->open >= 0 && head_of(e->open)->bytes >= armcii_am_eager_max())) armcii_endpoint_send(e);
    while (unacked(e) > MOST_UNACKED) armcii_am_progress(&p);
}

bool armcii_endpoints_are_busy(void)
{
    return armcii_outstanding_count > 0 || acks_to_come > 0;
}

void armcii_endpoints_expect_rndv(void)
{
    acks_to_come++;
}

/* ---- leaving the library ---- */

/* The first message to a server makes the connection, which takes several calls of MPI on both sides. */
static bool is_connected(const struct endpoint *e)
{
    return e->acked > 0 || e->sent == 0;
}

/* The system takes so many bytes of a connection whose other end reads, and delivers them without this process. */
static bool arrives_by_itself(const struct endpoint *e)
{
    return is_connected(e) && e->open < 0 && e->bytes_unacked <= armcii_am_message_max() &&
           !armcii_rndv_have_server(e->server, armcii_rndv_count());
}

/* Before the program goes on: what it started reaches the server although it may never call again.  The progress thread sees to that;
 * where there is none, wait until little enough is under way. */
void armcii_endpoint_leave(struct endpoint *e)
{
    struct backoff p = {0};
    if (arrives_by_itself(e)) return;
    if (armcii_endpoints_have_thread) {
        if (!armcii_server_is_here()) armcii_progress_thread_wake_if_asleep(); /* a server's thread looks soon */
        return;
    }
    const uint64_t larges = armcii_rndv_count();
    armcii_endpoint_send(e);
    while (e->bytes_unacked > armcii_am_message_max() || armcii_rndv_have_server(e->server, larges)) armcii_am_progress(&p);
}

void armcii_endpoints_leave(void)
{
    for (struct endpoint *e = endpoints; e; e = e->next) armcii_endpoint_leave(e);
}

/* Where no thread completes the connection. */
static void connect(struct endpoint *e)
{
    struct backoff p = {0};
    armcii_endpoint_append(e, 0, true);
    armcii_endpoint_send(e);
    while (e->acked == 0) armcii_am_progress(&p);
}

struct endpoint *armcii_endpoint(int server)
{
    struct endpoint *e = endpoint_of[server];
    if (e) return e;
    e = malloc(sizeof *e);
    if (!e) armcii_fatal("out of memory for requests to other nodes");
    *e = (struct endpoint){.server = server, .open = -1, .next = endpoints};
    endpoints = endpoint_of[server] = e;
    if (!armcii_endpoints_have_thread) connect(e);
    return e;
}

/* ---- remote completion ---- */

/* For what is outstanding now: other threads may add to it all the time. */
static void wait_for_endpoint(struct endpoint *e)
{
    struct backoff p = {0};
    armcii_endpoint_send(e);
    const uint64_t sent = e->sent, larges = armcii_rndv_count();
    while (e->acked < sent || armcii_rndv_have_server(e->server, larges)) armcii_am_progress(&p);
}

/* Send to all servers that are meant, then wait. */
static void fence(bool (*is_meant)(int server, const void *whom), const void *whom)
{
    for (struct endpoint *e = endpoints; e; e = e->next)
        if (is_meant(e->server, whom)) armcii_endpoint_send(e);
    for (struct endpoint *e = endpoints; e; e = e->next)
        if (is_meant(e->server, whom)) wait_for_endpoint(e);
}

static bool serves_process(int server, const void *process)
{
    return armcii_world->node_of[server] == armcii_world->node_of[*(const int *)process];
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
    endpoint_of = calloc((size_t)(armcii_world->size + armcii_world->progress_ranks), sizeof(struct endpoint *));
    if (!buffers || !endpoint_of) armcii_fatal("out of memory for requests to other nodes");
    for (int i = 0; i < BUFFERS; i++) state[i] = FREE;
    acks = (struct am_receive){armcii_endpoints_comm, AM_TAG_ACK, sizeof ack};
    expect_ack();
}

void armcii_endpoints_end(void)
{
    if (!buffers) return;
    armcii_am_receives_drain(&acks, 1, &ack_request);
    for (int i = 0; i < BUFFERS; i++)
        if (state[i] == SENT) MPI_Wait(&sending[i], MPI_STATUS_IGNORE);
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
