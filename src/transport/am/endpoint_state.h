/* endpoint_state.h - an endpoint as endpoint.c and fence.c see it. */
#ifndef ARMCII_ENDPOINT_STATE_H
#define ARMCII_ENDPOINT_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/am/proto.h"

struct endpoint {
    int server;
    struct am_message_header *open; /* message, in a buffer; NULL: none */
    uint16_t sequence;              /* number of the next message */
    uint64_t sent, acked;  /* messages that request an acknowledgement; acknowledged ones */
    size_t bytes_unacked;  /* of the messages sent but not acknowledged */
    uint64_t transmitted;  /* bytes that were sent */
    uint64_t reported;     /* of these, that the last reply bundle said are served */
    uint64_t deferred_at;  /* of these, with the last message whose acknowledgement was deferred */
    uint32_t unserved;     /* of these, that are not known to be served */
    uint32_t rndv_bytes;   /* of the open message */
    bool waits_for_window; /* the open message waits only until it fits into the window */
    bool credit_requested; /* from the server, which has not granted it */
    bool credit_granted;   /* for the open message */
    struct am_credit_request credit_request;
    MPI_Request credit_send;
    bool is_urgent;     /* somebody waits for the next update */
    bool is_held;       /* the open message waits for a flag behind its data */
    bool is_awaited;    /* somebody waits until the open message is acknowledged */
    bool ack_deferred;  /* the acknowledgement of updates was left to a later message */
    bool expects_fence; /* behind the next unlock: its acknowledgement is requested at once */
    unsigned fences;    /* of this process before the last unlock */
    unsigned rndvs;     /* rendezvous puts that are not in place */
    unsigned appended;  /* requests, to poll now and then */
    unsigned gets;      /* short ones whose replies have not arrived */
    bool listed;        /* in the list of dirty endpoints */
    struct endpoint *next_dirty;
};

/* The messages that request an acknowledgement, with the open one. */
uint64_t armcii_endpoint_to_be_acked(const struct endpoint *e);
/* True if any of the first `count` rendezvous puts is not in place at the server. */
bool armcii_endpoint_has_rndv(const struct endpoint *e, uint64_t count);

/* Dirty endpoints have an open message, or an update or rendezvous put that is not acknowledged.
 * Clean ones stay in the list until a walk begins. A walk may wait, while other threads begin walks
 * and put endpoints in front: nothing is removed then. */
bool armcii_endpoint_is_dirty(const struct endpoint *e);
struct endpoint *armcii_endpoints_begin_walk(void); /* the first one; then next_dirty */
void armcii_endpoints_end_walk(void);

#endif
