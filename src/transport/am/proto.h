/* proto.h - the protocol between clients and servers: a message holds requests, each a header, the
 * layout of the remote side and, for put and accumulate, the packed data. All processes of a job
 * have the same type sizes and byte order. Any-source receives are here, too, since clients and
 * servers post them. */
#ifndef ARMCII_PROTO_H
#define ARMCII_PROTO_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "shape/accumulate.h"
#include "shape/shape.h"
#include "transport/am/bufpool.h"

enum am_kind {
    AM_PUT,
    AM_ACC,
    AM_CREDIT,  /* a request for credit for messages of at most so many bytes */
    AM_GET,     /* without a tag: its short reply travels in a reply bundle; any other reply has the
                   request's tag, as for the following */
    AM_RMW,     /* element: enum rmw_update; scale[0]: the operand; reply: the old value, a long */
    AM_LOCK,    /* the reply follows when the mutex is granted */
    AM_TRYLOCK, /* reply: an int, 1 if granted, else 0 */
    AM_UNLOCK
};

/* Where the data of a put or accumulate are. Those of a rendezvous follow in a message tagged tag +
 * AM_TAG_DATA. */
enum am_data {
    AM_EAGER,    /* in the request; or there are none */
    AM_BUFFERED, /* rendezvous: the server receives them in a buffer, when it has one */
    AM_IN_PLACE  /* rendezvous of a put, received where they belong; scale: struct am_flag */
};

enum {
    AM_HEADERS_MAX = 512, /* bytes of a message beside eager data: headers and strides */
    AM_MESSAGE_MAX = (32 << 10) + AM_HEADERS_MAX, /* bytes of a message: below MPI's eager limit, so
                                                     that no client delays one */
    AM_FRAGMENT_MAX = 48 << 10,                   /* data bytes of a reply to a vector get */
    AM_REPLY_MAX = 512 << 10,                     /* data bytes of a packed reply */
    AM_PACKED_MAX = (512 << 10) - AM_HEADERS_MAX, /* data bytes of a rendezvous accumulate or packed
                                                     put: the server receives them in a buffer */
    AM_SHORT_REPLY = 4 << 10,                     /* data bytes of a reply in a reply bundle */
    AM_REPLIES_MAX = 16 << 10,                    /* bytes of the replies in a reply bundle */
    AM_RNDV_MIN = 64 << 10,       /* bytes up to which contiguous and strided data are
                                     eager */
    AM_ZCOPY_MAX = 1 << 30,       /* bytes of a zero-copy message */
    AM_UNEXPECTED_MAX = 64 << 10, /* bytes of a message that MPI delivers before its receive is
                                     posted (Open MPI over TCP) */
    AM_MESSAGE_COST = 2 << 10,    /* what a short message counts: MPI keeps more than its bytes */
    AM_TAG_REQUEST = 1,
    AM_TAG_BUNDLE = 2,
    AM_TAG_BARRIER = 3, /* + round, up to 31 */
    AM_TAG_FIRST = 64,  /* of replies: unique among the outstanding ones of a process */
    AM_TAGS = 16000,
    AM_TAG_DATA = AM_TAGS /* added to a rendezvous' tag for its data: two processes may be each
                             other's clients */
};

/* The first bytes of a message. */
struct am_message_header {
    uint32_t bytes;       /* of the whole message */
    uint16_t acknowledge; /* 1: acknowledge when all its requests are served; a rendezvous is
                             acknowledged separately, behind its data */
    uint16_t sequence;    /* number among this client's messages to this server, modulo 2^16 */
};

/* Credit: the client may send so many messages, in a window of so many of the longest ones. */
struct am_grant {
    uint16_t messages, window;
};
enum {
    AM_LEASE_MESSAGES = 64, /* the most of a grant, which is a lease then */
    AM_LEASE_WINDOW = 2,
    AM_LEASE_US = 100000 /* microseconds of the server's after which a grant expires */
};

/* A reply bundle of the server: an acknowledgement, and the replies to short gets, which come in
 * the order of the requests, each padded to 8 bytes. */
struct am_reply_header {
    int32_t messages;       /* served ones that request an acknowledgement */
    int32_t rndv_tag;       /* of a rendezvous that is complete at the server; 0: none */
    struct am_grant credit; /* that the client has requested; 0 messages: none */
    uint32_t
        served; /* of what the client has sent to this server: bytes since the start, modulo 2^32 */
};
struct am_reply_bundle {
    struct am_reply_header head;
    uint64_t bytes; /* of the replies */
    char replies[AM_REPLIES_MAX];
};

/* Flow control. What a server has not served lies in MPI's queue of unexpected messages, so each
 * client has a window: so many bytes that it has sent and the server has not served, of messages,
 * and of rendezvous data as far as MPI may deliver them before their receive is posted.
 * A message beyond the window waits while an acknowledgement is on its way; data beyond it wait
 * until the server has posted the receive. A message that leaves less than half of the window, or
 * less than the longest message, requests an acknowledgement, unless a reply shows as soon that it
 * is served: that to a read-modify-write at its end. So a client whose messages fit into
 * its window never waits for other clients, and an idle one keeps nothing from them.
 *
 * Many clients have small windows, and the server has memory for some long messages besides. For a
 * message that is longer than the window the client requests credit, alone (AM_CREDIT). What the
 * server grants is for so many messages, this one and those that follow, in a larger window. Both
 * sides count them, so the credit ends on both without a message: when the last of them is served.
 * A grant of more than one message is a lease. What is left of it is void for the client half of
 * AM_LEASE_US after it asked, and the server gives it to others after AM_LEASE_US of its own
 * running time. A client that sends then all the same (it was stopped) takes memory for a moment. A
 * request for credit ends what the client had, since the server serves its messages in order. All
 * rendezvous data wait where windows are small.
 *
 * Replies are bounded by the server: it sends as many at a time as it has memory for. The get
 * behind them is deferred, with all that the client sends after it, and counts as not served: the
 * acknowledgements of the client's messages wait for it. */

/* What a client may send, in bytes. */
struct am_limits {
    size_t window;      /* 192 or more */
    size_t enough;      /* of the window: a message that leaves less requests an acknowledgement */
    size_t eager_max;   /* data of an eager message: MPI sends it without a rendezvous */
    size_t message_max; /* the longest message */
};
extern const struct am_limits *const armcii_am_limits;
/* A server's memory for messages is shared among so many clients, the processes of the job: once,
 * before any message. */
void armcii_am_share_among(int clients);

static inline uint32_t armcii_am_message_size(size_t bytes)
{
    return bytes > AM_MESSAGE_COST ? (uint32_t)bytes : AM_MESSAGE_COST;
}
static inline bool armcii_am_is_short_reply(size_t bytes)
{
    return bytes <= AM_SHORT_REPLY;
}
static inline size_t armcii_am_padded(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}
static inline uint32_t armcii_am_rndv_size(size_t bytes)
{
    return bytes < AM_UNEXPECTED_MAX ? (uint32_t)bytes : AM_UNEXPECTED_MAX;
}

/* The first bytes of a request. The layout follows (strided: strides and counts; vector: runs),
 * then the data, each padded to 8 bytes. */
struct am_request_header {
    uint32_t length; /* of the request */
    uint8_t kind, element, form, levels;
    int32_t owner;   /* of the memory or mutex, a rank in the world */
    uint16_t tag;    /* 0: none */
    uint8_t data;    /* enum am_data */
    uint8_t waits;   /* 1: rendezvous data wait for the clear to send, a reply without bytes */
    uint64_t bytes;  /* to transfer */
    uint64_t runs;   /* vector */
    uint64_t remote; /* address of the first segment, or of the mutex, at its owner */
    uint64_t scale[2];
};

/* A run of a vector in a request; its remote addresses follow. */
struct am_run_head {
    uint64_t bytes, n;
};

/* The flag that a rendezvous put sets when its data, and those of the client's earlier ones, are in
 * place. */
struct am_flag {
    uint64_t address; /* 0: none */
    int64_t value;    /* an int */
};

/* The message that requests credit. */
struct am_credit_request {
    struct am_message_header head;
    struct am_request_header request;
};

/* True if such a request holds data. */
static inline bool armcii_am_has_data(enum am_kind kind, enum am_data data)
{
    return data == AM_EAGER && kind <= AM_ACC;
}

/* Bytes of the layout of a shape that is not contiguous. */
size_t armcii_am_layout_length(const struct shape *s);
/* Bytes of such a request for the shape. */
static inline size_t armcii_am_request_length(const struct am_request_header *r,
                                              const struct shape *s)
{
    const size_t layout = s->form == SHAPE_CONTIGUOUS ? 0 : armcii_am_layout_length(s);
    const size_t data = armcii_am_has_data((enum am_kind)r->kind, (enum am_data)r->data)
                            ? armcii_am_padded(s->bytes)
                            : 0;
    return sizeof(struct am_request_header) + layout + data;
}
/* Write the layout of a shape that is not contiguous behind the header; return its end. */
char *armcii_am_encode_layout(const struct shape *s, struct am_request_header *header);
/* Write the request, of that length, to `to`, which is 8-aligned: *r says what the shape does not.
 */
static inline void armcii_am_encode(const struct am_request_header *r, const struct shape *s,
                                    size_t length, char *to)
{
    struct am_request_header *header = (struct am_request_header *)(void *)to;
    *header = *r;
    header->length = (uint32_t)length;
    header->form = (uint8_t)s->form;
    header->bytes = s->bytes;
    header->remote = (uint64_t)(uintptr_t)s->remote;
    to += sizeof *header;
    if (s->form != SHAPE_CONTIGUOUS) to = armcii_am_encode_layout(s, header);
    if (armcii_am_has_data((enum am_kind)r->kind, (enum am_data)r->data)) armcii_shape_pack(s, to);
}

/* The header of a request without layout and data. That is all of a mutex request. */
static inline struct am_request_header armcii_am_header(enum am_kind kind, int owner,
                                                        const void *remote, int tag)
{
    return (struct am_request_header){.length = sizeof(struct am_request_header),
                                      .kind = (uint8_t)kind,
                                      .owner = owner,
                                      .tag = (uint16_t)tag,
                                      .remote = (uint64_t)(uintptr_t)remote};
}

/* A decoded request: its shape, whose local side is the packed data of the request. */
struct am_decoded {
    struct shape shape;
    struct vector_run *runs; /* grows as needed; NULL at first, freed by the owner of this struct */
    size_t runs_max;
    char wrong[160]; /* why the request is invalid, to follow "sent an invalid request: " */
};
/* Decode a request of another process, the first of `left` bytes: valid as long as the message and
 * until the next call with d. A mutex request has a shape of 0 bytes. False, with d->wrong, if any
 * value of the header or of the layout is none that a client sends: then the request may do nothing
 * to memory that this process should not touch, or does not have. What is true: its length and
 * bytes agree, they are within the limits above, and the memory, and the flag, are used memory of
 * its owner, who is on this node (node/heap.h). */
bool armcii_am_decode(const struct am_request_header *r, size_t left, struct am_decoded *d);
/* "a put", for messages; a kind that was decoded. */
const char *armcii_am_kind_name(enum am_kind kind);

/* The communicator of all messages; set before the following are called. */
extern MPI_Comm armcii_am_comm;

/* A zero-copy message: one side of a contiguous or strided fragment, whose first segment is at
 * `address` in this process. */
struct am_zcopy {
    char *address;
    const struct shape *shape;
    enum shape_side side;
};
void armcii_am_send_zcopy(struct am_zcopy from, int to, int tag, MPI_Request *request);
void armcii_am_receive_zcopy(struct am_zcopy to, int from, int tag, MPI_Request *request);

/* An any-source receive. */
struct am_receive {
    int tag, bytes; /* of the buffer */
};
/* Post the receive, before messages arrive or after. Nothing is posted with an MPI library that
 * does not complete a receive whose message has arrived before; such messages are probed for. */
void armcii_am_receive_post(const struct am_receive *match, void *buffer, MPI_Request *receive);
/* Receive a message that no posted receive has matched; false when there is none. */
bool armcii_am_receive_unexpected(const struct am_receive *match, void *buffer,
                                  MPI_Request *receive);
/* True if the receive may be tested: it is posted, by this call if it was not before, or a message
 * that nothing was posted for has arrived. */
bool armcii_am_receive_ready(const struct am_receive *match, void *buffer, MPI_Request *receive);
/* Bytes of the message that was received. */
size_t armcii_am_received(const MPI_Status *status);
/* Complete n posted receives when nobody sends any more: by empty messages to this process, because
 * some MPI libraries cannot cancel a receive. */
void armcii_am_receives_drain(const struct am_receive *match, int n, MPI_Request receives[]);

#endif
