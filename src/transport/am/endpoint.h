/* endpoint.h - the messages to each server and their acknowledgements. Called under the global
 * lock, which is suspended while waiting. */
#ifndef ARMCII_ENDPOINT_H
#define ARMCII_ENDPOINT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/backoff.h"
#include "transport/am/outstanding.h"
#include "transport/am/proto.h"
#include "transport/am/rndv.h"

struct team;

/* The messages to a server. For endpoint.c and fence.c; others read `server`,
 * `open`, `gets` and `rndvs`. */
struct endpoint {
    int server;
    struct am_message_header *open; /* message, in a buffer; NULL: none */
    uint16_t sequence;              /* number of the next message */
    uint64_t acked, sent;           /* acknowledged messages; those that request it */
    uint64_t transmitted;           /* bytes sent since the start, as the window counts them */
    uint64_t deferred_at;     /* transmitted bytes behind the last update whose acknowledgement
                                 was left to a later message; 0: none was */
    uint32_t unserved;        /* transmitted bytes that are not known to be served */
    bool waits_for_window;    /* the open message waits only until it fits into the window; a fence
                                 may count its acknowledgement, which is not deferred then */
    bool credit_requested;    /* from the server, which has not granted it */
    bool credit_is_new;       /* nothing has been sent with it */
    struct am_grant credit;   /* what is left of it */
    long credit_requested_at; /* time of the request, by armcii_clock */
    struct am_credit_request credit_request;
    MPI_Request credit_send;
    unsigned replies;   /* on their way that open the window, as acknowledgements do */
    bool expects_fence; /* behind the next unlock: its acknowledgement is requested at once */
    unsigned fences;    /* number of fences of this process before the last unlock */
    struct rndv *rndvs; /* not complete at the server */
    unsigned appended;  /* number of requests, to poll at every 16th */
    struct short_gets gets;
    bool listed; /* in the list of dirty endpoints */
    struct endpoint *next_dirty;
};

void armcii_endpoints_start(void);
/* Nothing is outstanding. */
void armcii_endpoints_end(void);
struct endpoints {
    struct endpoint **of; /* [world size], by the rank of the server; NULL: not connected */
};
extern const struct endpoints *const armcii_endpoints;

/* Sending. */

/* The endpoint of a server; the first call connects. */
struct endpoint *armcii_endpoint_connect(int rank);
static inline struct endpoint *armcii_endpoint(int rank)
{
    struct endpoint *e = armcii_endpoints->of[rank];
    return e ? e : armcii_endpoint_connect(rank);
}
/* Wait until the open message has room for a request of that length. */
void armcii_endpoint_reserve(struct endpoint *e, size_t length);
/* Space for a request of that length in the open message; acknowledge: a fence waits for the
 * message. */
static inline char *armcii_endpoint_append(struct endpoint *e, size_t length, bool acknowledge)
{
    if (!e->open || e->open->bytes + length > armcii_am_limits->message_max)
        armcii_endpoint_reserve(e, length);
    struct am_message_header *head = e->open;
    char *at = (char *)head + head->bytes;
    head->bytes += (uint32_t)length;
    head->acknowledge |= acknowledge;
    return at;
}

/* The short get whose request has been appended is outstanding: a reply bundle of the server
 * completes it.
 */
void armcii_endpoint_add_get(struct endpoint *e, struct outstanding *o);
/* Send the open message, as soon as it fits into the window: now; if there is reason not to
 * coalesce more updates, or more short gets; of all endpoints. */
void armcii_endpoint_send(struct endpoint *e);
void armcii_endpoint_send_if_due(struct endpoint *e);
void armcii_endpoint_send_gets_if_due(struct endpoint *e);
void armcii_endpoints_send(void);
/* Send the open message, as soon as it fits; another process waits for its last update: a flag or
 * an unlock. Its acknowledgement may be left to a later message; true where such ones begin: events
 * must end the sleep of the progress thread. */
bool armcii_endpoint_send_urgent(struct endpoint *e);

/* A lock has been appended, and an unlock will follow (fence.c): decide whether the acknowledgement
 * of the unlock may be left to a later message. Send the open message with the unlock now. */
void armcii_endpoint_expect_unlock(struct endpoint *e);
void armcii_endpoint_send_unlock(struct endpoint *e);

/* What a reply shows, because a server serves the requests of a client in order. */
struct am_shown {
    uint64_t transmitted; /* bytes sent since the start that are served */
    bool opens_window;    /* the message of the request requested no acknowledgement */
};
/* Send the open message, whose last request has a reply, and return what that will show: that all
 * before the message is served; the message, too, if it leaves now and the reply waits for no other
 * process (soon). Then it requests no acknowledgement for the window. */
struct am_shown armcii_endpoint_send_request(struct endpoint *e, bool soon);
/* The reply has arrived. */
void armcii_endpoint_note_reply(struct endpoint *e, struct am_shown shown);

/* True if so many bytes of data (armcii_am_rndv_size) may be sent without waiting for the
 * server. */
bool armcii_endpoint_fits_window(const struct endpoint *e, uint32_t bytes);
/* Send the open message, whose last request is that of the rendezvous; so many bytes follow
 * unasked, for which the window has room. The acknowledgement frees the tag. */
void armcii_endpoint_send_rndv(struct endpoint *e, const struct rndv *rndv, uint32_t bytes);

/* Ensure delivery of what was started to this server without further calls by the program. */
void armcii_endpoint_push(struct endpoint *e);

/* Progress. */

/* True if anything of this process is outstanding: MPI messages or unacknowledged updates. Any
 * thread may call it, without the lock. */
bool armcii_endpoints_are_busy(void);
/* True if messages for which nothing is outstanding may still be in MPI's queue, behind some of
 * the program. Any thread may call it, without the lock. */
bool armcii_endpoints_have_deferred_acks(void);
/* Return the number of polls for acknowledgements so far by streams of updates and short gets,
 * whose threads advance them for now. */
unsigned armcii_endpoints_stream_polls(void);
/* Make progress on all of it, without waiting; true when there was any. */
bool armcii_endpoints_progress(void);
/* The same, and serve, if this process does: one call of MPI tests the short operations and the
 * requests of others. */
bool armcii_endpoints_poll(void);
/* One round of any wait: make progress, serve, back off, let other threads in. */
void armcii_am_progress(struct backoff *p);
/* Wait for an MPI request by such rounds; for a reply of so many bytes. */
void armcii_endpoints_wait(MPI_Request *request);
void armcii_endpoints_receive(MPI_Request *reply, size_t bytes);

/* Order and remote completion (fence.c). */

/* Request the deferred acknowledgements of all other endpoints, without waiting for them. */
void armcii_endpoints_request_acks(const struct endpoint *except);
/* True if there is nothing that a fence would wait for. */
bool armcii_endpoints_are_quiet(void);

/* ---- for endpoint.c and fence.c ---- */

/* The messages that request an acknowledgement, with the open one. */
uint64_t armcii_endpoint_to_be_acked(const struct endpoint *e);

/* True if a fence would wait for the endpoint: it has an open message, or an update or rendezvous
 * that is not acknowledged. */
bool armcii_endpoint_is_unfenced(const struct endpoint *e);
/* Dirty endpoints are those, and those with short gets whose replies have not arrived.
 * Clean ones stay in the list until a walk begins. A walk may wait, while other threads begin walks
 * and put endpoints in front: nothing is removed then. */
struct endpoint *armcii_endpoints_begin_walk(void); /* the first one; then next_dirty */
void armcii_endpoints_end_walk(void);

#endif
