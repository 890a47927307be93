/* replies.h - what a server sends to its clients, and the rendezvous data that it receives. Nothing
 * here waits for a client. Called by the thread that serves. */
#ifndef ARMCII_REPLIES_H
#define ARMCII_REPLIES_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "transport/am/proto.h"

enum { REPLY_INLINE_MAX = 64 };
/* A pending reply, or the data of a rendezvous put or accumulate being received. */
struct reply {
    struct reply *next;
    MPI_Request request;
    int client;
    int rndv_tag;        /* rendezvous: tag to acknowledge; else 0 */
    size_t awaited;      /* rendezvous: bytes of the data */
    struct am_flag flag; /* rendezvous put: what to set behind the data */
    bool is_request;     /* rendezvous in the buffer: to be served as eager */
    char *buffer;        /* of longer data than inline_data; or NULL */
    size_t bytes;        /* of the data */
    size_t cost;         /* credit taken for the reply, in bytes; 0: none */
    long began;          /* armcii_credit_now when the credit was taken */
    bool expired;        /* its credit is back in the shared pool although it is in flight */
    char inline_data[REPLY_INLINE_MAX];
};

/* completed: called for each reply when it is complete. */
void armcii_replies_start(void (*completed)(const struct reply *));
/* No process sends requests any more: returns when all replies are complete. */
void armcii_replies_end(void);

struct reply *armcii_reply_new(int client, size_t bytes);
char *armcii_reply_data(struct reply *reply);
void armcii_reply_send(struct reply *reply, int tag);
/* A reply of at most REPLY_INLINE_MAX bytes. */
void armcii_reply_inline(const void *data, size_t bytes, int client, int tag);
/* Take so much credit for the reply while it is pending. */
void armcii_reply_count(struct reply *reply, size_t cost);

/* Find completed replies; true when there was any. */
bool armcii_replies_progress(void);
/* Give credit taken AM_CREDIT_US ago back to the shared pool: those clients may be stopped. */
void armcii_replies_expire(void);

#endif
