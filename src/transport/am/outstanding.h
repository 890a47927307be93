/* outstanding.h - operations of this process that are not complete locally: rendezvous data being
 * sent, gets being received. Called under the global lock. */
#ifndef ARMCII_OUTSTANDING_H
#define ARMCII_OUTSTANDING_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shape/shape.h"
#include "transport/am/bufpool.h"

struct outstanding {
    uint64_t id;
    int owner;          /* of the remote memory */
    int tag;            /* of the reply to a get, freed when it is complete; 0: none */
    char *buffer;       /* to unpack from, or that is being sent; NULL: zero-copy */
    struct shape shape; /* to unpack to; to send from */
    void **addresses;
    int server, data_tag; /* of rendezvous data that wait for the clear to send; tag 0: none do */
    size_t awaited;       /* bytes of the reply; AM_SENDS: this process sends */
    struct outstanding *next; /* short get */
};

/* The short gets from a server, oldest first: its reply bundles complete them in that order. */
struct short_gets {
    struct outstanding *first, *last;
    uint64_t started, done;
};

/* Buffers for replies that are unpacked. */
extern struct bufpool armcii_outstanding_buffers;

/* NULL while there are too many. */
struct outstanding *armcii_outstanding_new(uint64_t id, int owner);
/* The data arrive in the buffer (NULL: in a reply bundle); unpack them to s. */
void armcii_outstanding_set_unpack(struct outstanding *o, const struct shape *s, char *buffer);
/* s, which is contiguous or strided, is being sent or, with a tag, is to be sent when the server's
 * reply has arrived. */
void armcii_outstanding_set_send(struct outstanding *o, const struct shape *s, int server, int tag);
/* The operation may complete from now on. The request receives so many bytes from the server, or
 * sends (AM_SENDS). */
#define AM_SENDS SIZE_MAX
void armcii_outstanding_start(struct outstanding *o, MPI_Request request, size_t bytes);
/* The same for a short get, whose request is the last one for that server. */
void armcii_short_gets_add(struct short_gets *gets, struct outstanding *o);
/* Complete the oldest ones, whose replies take so many bytes together; return their number. 0:
 * there are none whose replies do. */
unsigned armcii_short_gets_complete(struct short_gets *gets, const char *replies, size_t bytes);
static inline unsigned armcii_short_gets_pending(const struct short_gets *gets)
{
    return (unsigned)(gets->started - gets->done);
}

/* Complete what MPI has finished; true when there was any. */
bool armcii_outstanding_progress(void);

/* Nothing is outstanding: release the memory kept for later operations. */
void armcii_outstanding_end(void);

/* True if anything is outstanding, or about to be. Any thread may call it, without the lock. */
bool armcii_outstanding_any(void);
/* True if a fragment of the operation is outstanding; short gets have other numbers. */
bool armcii_outstanding_has(uint64_t id);
/* True if any operation up to that id is outstanding on memory of the owner, or of anybody (-1),
 * short gets excepted. */
bool armcii_outstanding_to(int owner, uint64_t id);

/* A free tag, from AM_TAG_FIRST on; 0 while all AM_TAGS are in use. It belongs to one reply until
 * that is complete, so that replies may arrive in any order. */
int armcii_tag_alloc(void);
void armcii_tag_free(int tag);

#endif
