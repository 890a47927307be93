/* replies.c - what a server sends to its clients, and the rendezvous data that it receives. */
#include "transport/am/replies.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "transport/am/bufpool.h"
#include "transport/am/credit.h"

_Static_assert((int)AM_REPLY_MAX <= (int)BUFPOOL_LARGEST, "a reply fits in a buffer of the pool");
_Static_assert((int)AM_PACKED_MAX + (int)AM_HEADERS_MAX <= (int)BUFPOOL_LARGEST,
               "a packed request, too");

static struct {
    void (*completed)(const struct reply *);
    struct reply *pending, *free;
    struct reply **next_test; /* where armcii_replies_progress continues */
    int pending_count;
    struct bufpool buffers;
} replies = {.next_test = &replies.pending, .buffers = {.max_bytes = AM_REPLY_CREDIT}};

void armcii_replies_start(void (*completed)(const struct reply *))
{
    replies.completed = completed;
}

void armcii_replies_end(void)
{
    while (replies.pending)
        armcii_replies_progress();
    for (struct reply *reply; (reply = replies.free) != NULL; free(reply))
        replies.free = reply->next;
    armcii_bufpool_drain(&replies.buffers);
}

struct reply *armcii_reply_new(int client, size_t bytes)
{
    struct reply *reply = replies.free;
    if (reply)
        replies.free = reply->next;
    else
        reply = armcii_alloc(1, sizeof *reply, "a reply");
    reply->next = replies.pending;
    reply->request = MPI_REQUEST_NULL;
    reply->client = client;
    reply->rndv_tag = 0;
    reply->flag.address = 0;
    reply->is_request = false;
    reply->buffer =
        bytes > REPLY_INLINE_MAX ? armcii_bufpool_alloc_over_limit(&replies.buffers, bytes) : NULL;
    reply->bytes = bytes;
    reply->cost = 0;
    reply->expired = false;
    replies.pending = reply;
    replies.pending_count++;
    return reply;
}

char *armcii_reply_data(struct reply *reply)
{
    return reply->buffer ? reply->buffer : reply->inline_data;
}

void armcii_reply_send(struct reply *reply, int tag)
{
    MPI_Isend(armcii_reply_data(reply), (int)reply->bytes, MPI_BYTE, reply->client, tag,
              armcii_am_comm, &reply->request);
}

void armcii_reply_inline(const void *data, size_t bytes, int client, int tag)
{
    atomic_thread_fence(memory_order_seq_cst); /* the reply acknowledges the updates before it */
    struct reply *reply = armcii_reply_new(client, bytes);
    memcpy(reply->inline_data, data, bytes);
    armcii_reply_send(reply, tag);
}

void armcii_reply_count(struct reply *reply, size_t cost)
{
    reply->cost = cost;
    reply->began = armcii_credit_now();
    armcii_credit_take(reply->client, cost);
}

/* The client may be stopped, or never call again. */
void armcii_replies_expire(void)
{
    for (struct reply *reply = replies.pending; reply; reply = reply->next) {
        if (reply->expired || reply->cost == 0 || armcii_credit_now() - reply->began < AM_CREDIT_US)
            continue;
        reply->expired = true;
        armcii_credit_expire(reply->client, reply->cost);
    }
}

/* True if the data of an earlier rendezvous of the client are not in place. The list begins
 * with the latest. */
static bool has_earlier_rndv(const struct reply *reply)
{
    const struct reply *earlier = reply->next;
    while (earlier && (!earlier->rndv_tag || earlier->client != reply->client))
        earlier = earlier->next;
    return earlier != NULL;
}

/* The data are in place: set their flag, if that need not wait for others. */
static bool try_set_flag(const struct reply *reply)
{
    if (reply->flag.address == 0) return true;
    if (has_earlier_rndv(reply)) return false;
    atomic_store_explicit((_Atomic int *)(uintptr_t)reply->flag.address, (int)reply->flag.value,
                          memory_order_release);
    return true;
}

/* The reply is complete and no longer in the list. */
static void free_reply(struct reply *reply)
{
    if (reply->cost) armcii_credit_return(reply->client, reply->cost, reply->expired);
    replies.pending_count--;
    replies.completed(reply);
    if (reply->buffer) armcii_bufpool_free(&replies.buffers, reply->buffer, reply->bytes);
    reply->next = replies.free;
    replies.free = reply;
}

static void check_data(const struct reply *reply, const MPI_Status *status)
{
    const size_t bytes = armcii_am_received(status);
    if (bytes != reply->awaited)
        armcii_fatal("rank %d sent invalid data: %zu bytes instead of %zu", reply->client, bytes,
                     reply->awaited);
}

/* True if the data of a rendezvous are in place, and its flag is set. */
__attribute__((noinline)) static bool complete_rndv(struct reply *reply)
{
    const bool receives = reply->request != MPI_REQUEST_NULL;
    int done;
    MPI_Status status;
    MPI_Test(&reply->request, &done, &status);
    if (done && receives) check_data(reply, &status);
    return done && try_set_flag(reply);
}

static inline bool is_complete(struct reply *reply)
{
    int done;
    if (reply->rndv_tag) return complete_rndv(reply);
    MPI_Test(&reply->request, &done, MPI_STATUS_IGNORE);
    return done;
}

/* Each call tests at most MAX_TESTS and the next call continues there. */
static bool test_pending(void)
{
    enum { MAX_TESTS = 32 };
    bool any = false;
    for (int left = replies.pending_count < MAX_TESTS ? replies.pending_count : MAX_TESTS; left > 0;
         left--) {
        if (!*replies.next_test) replies.next_test = &replies.pending;
        struct reply *reply = *replies.next_test;
        if (!is_complete(reply)) {
            replies.next_test = &reply->next;
            continue;
        }
        *replies.next_test = reply->next;
        free_reply(reply);
        any = true;
    }
    return any;
}

bool armcii_replies_progress(void)
{
    return replies.pending && test_pending();
}
