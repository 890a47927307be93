/* proto.h - requests between nodes, as they travel: a message is a batch of records, each a header, the layout of the remote side and, for
 * put and accumulate, the data packed behind it.  All processes of a job are assumed to have the same sizes and byte order. */
#ifndef ARMCII_PROTO_H
#define ARMCII_PROTO_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shape/element.h"
#include "shape/shape.h"

enum am_kind {
    AM_PUT,       /* data follow */
    AM_ACC,       /* data follow */
    AM_PUT_RNDV, /* data come in a message of their own, tag + AM_TAG_DATA, zero-copy */
    AM_GET,       /* the reply has the tag */
    AM_RMW,       /* element: enum rmw_update; operand in scale[0], old value, a long, in the reply */
    AM_LOCK,      /* the reply, when the lock is granted, has the tag */
    AM_TRYLOCK,   /* reply: 1 granted, 0 not */
    AM_UNLOCK
};

enum {
    AM_HEADERS = 512,     /* bytes of a request message beside armcii_am_eager_max: its header, a record, strides */
    AM_MESSAGE_MAX = (32 << 10) + AM_HEADERS, /* most bytes of a request message: below the eager limit, so that no client holds one back */
    AM_FRAGMENT_MAX = 48 << 10,   /* most data bytes of a reply to a vector get */
    AM_REPLY_MAX = 512 << 10, /* most data bytes of a reply that is packed */
    AM_RNDV_MIN = 64 << 10, /* most bytes of a transfer that goes in eager parts */
    AM_ZCOPY_MAX = 1 << 30,   /* most bytes of a message that goes zero-copy */
    AM_TAG_REQUEST = 1,
    AM_TAG_ACK = 2,
    AM_TAG_BARRIER = 3,   /* + round, up to 31 */
    AM_TAG_FIRST = 64,    /* of replies: unique among those that a process has outstanding */
    AM_TAGS = 16000,
    AM_TAG_DATA = AM_TAGS /* added to the tag of a large put for its data: two processes may be each other's clients */
};

/* Begins a message. */
struct am_message {
    uint32_t bytes;       /* of the message */
    uint16_t acknowledge; /* 1: tell the sender when all is applied */
    uint16_t sequence;    /* number among the messages of this client to this server, modulo 2^16 */
};

/* What the server answers that acknowledges. */
struct am_ack {
    int32_t bytes; /* of the message that was applied; 0: none */
    int32_t large; /* the tag of a large put that is in place; 0: none */
};

/* Begins a record; the layout follows (strided: strides and counts; vector: runs), then the data, each padded to 8 bytes. */
struct am_header {
    uint32_t length; /* of all of it */
    uint8_t kind, element, form, levels;
    int32_t owner;   /* of the memory, a rank of the world */
    int32_t tag;
    uint64_t bytes;  /* that move */
    uint64_t runs;   /* vector; lock: the set */
    uint64_t remote; /* the first segment as its owner knows it; lock: number of the mutex */
    int64_t delta;   /* from the owner's addresses to the server's; AM_EXPORTED: it is an offer of the owner's */
    uint64_t scale[2];
};
#define AM_EXPORTED INT64_MIN

/* What a record says beside its layout. */
struct am_request {
    enum am_kind kind;
    int element;
    const void *scale; /* of scale_bytes */
    size_t scale_bytes;
    int owner, tag;
    int64_t delta;
};

/* Does this kind carry data? */
static inline bool armcii_am_has_data(enum am_kind kind)
{
    return kind == AM_PUT || kind == AM_ACC;
}

/* Bytes of the record for a shape. */
size_t armcii_am_length(enum am_kind kind, const struct shape *s);
/* Write it at `to`, 8-aligned, with room for so many bytes. */
void armcii_am_encode(const struct am_request *r, const struct shape *s, char *to);

/* The record for a mutex: sizeof(struct am_header) bytes. */
void armcii_am_encode_lock(enum am_kind kind, uint64_t set, int owner, uint64_t number, int tag, char *to);

/* A decoded record: its shape, the local side packed at `data`. */
struct am_decoded {
    struct shape shape;
    struct vector_run *runs; /* memory that grows; start with NULL, free it at last */
    size_t room;
    char *data;
};
/* The shape of a record; valid as long as the message and until the next decode into *d. */
void armcii_am_decode(const struct am_header *r, struct am_decoded *d);

/* A vector whose strides say it all as a patch, in *patch; but not where its segments are so long that they go zero-copy.  Any
 * other shape as it is. */
const struct shape *armcii_am_vector_to_strided(const struct shape *s, struct shape *patch);

/* Bytes of data in a message that MPI sends eagerly: without a handshake with the receiver. */
size_t armcii_am_eager_max(void);
/* Most bytes of a request message. */
size_t armcii_am_message_max(void);

/* Cut a shape into parts.  Begin with the side that is written: the remote side of a put, whose packed parts are eager requests; the local
 * side of a get, whose packed parts are replies.  Long contiguous data, and strided puts where derived datatypes are right and quick, go
 * zero-copy in parts of up to AM_ZCOPY_MAX bytes.  Begin packed: every part is an eager request. */
struct am_cursor {
    size_t limit;          /* bytes of a part that may go zero-copy */
    size_t packed;         /* bytes of one that is packed, longer segments of a vector apart */
    bool in_request;       /* the data travel in the request */
    bool in_order;         /* a byte is written twice: each part must have arrived before the next may */
    size_t position;       /* strided, contiguous */
    size_t run, i, within; /* vector */
};
enum { AM_RUNS = 64 };
void armcii_am_fragment_begin(struct am_cursor *c, const struct shape *s, enum shape_side written);
void armcii_am_fragment_begin_packed(struct am_cursor *c);
/* The next part, in `runs` those of a vector; false when nothing is left. */
bool armcii_am_fragment(const struct shape *s, struct am_cursor *c, struct vector_run runs[AM_RUNS], struct shape *part);

/* Is it strided, on this side never backwards, and a derived datatype of it right with this MPI library? */
bool armcii_am_can_zcopy(const struct shape *s, enum shape_side side);

/* A message that goes straight from or into place, of one side of a contiguous or strided part: send it, receive it.  `address`: where the
 * first segment is in this process. */
struct am_zcopy {
    char *address;
    const struct shape *shape;
    enum shape_side side;
};
void armcii_am_send(MPI_Comm comm, struct am_zcopy from, int to, int tag, MPI_Request *request);
void armcii_am_receive(MPI_Comm comm, struct am_zcopy to, int from, int tag, MPI_Request *request);

/* A message of a tag from anybody. */
struct am_receive {
    MPI_Comm comm;
    int tag, bytes; /* room in the buffer */
};
/* Expect one in the buffer: before anybody sends, and again after each.  With an MPI library that does not complete receives which are
 * posted when their message is there, nothing is posted, and messages are looked for. */
void armcii_am_receive_post(const struct am_receive *inbox, void *buffer, MPI_Request *receive);
/* Start to receive a message that is there and that no posted receive has matched; false when there is none. */
bool armcii_am_receive_unexpected(const struct am_receive *inbox, void *buffer, MPI_Request *receive);
/* Has it arrived?  Then it is complete, and was sent by *sender. */
bool armcii_am_receive_test(const struct am_receive *inbox, void *buffer, MPI_Request *receive, int *sender);
/* End all n receives that are posted, when nobody sends any more: by empty messages to oneself, so that no MPI library has to cancel one. */
void armcii_am_receives_drain(const struct am_receive *inbox, int n, MPI_Request receives[]);

#endif
