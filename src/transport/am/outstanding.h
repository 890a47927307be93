/* outstanding.h - operations of this process that are not complete locally: data of a rendezvous put on their way out, data of a get to come.
 * Under the global lock. */
#ifndef ARMCII_OUTSTANDING_H
#define ARMCII_OUTSTANDING_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "transport/am/bufpool.h"
#include "shape/shape.h"

struct outstanding {
    uint64_t ticket;
    int owner;          /* of the remote memory */
    int tag;            /* of a reply: released when it is complete; 0: none */
    char *buffer;       /* to unpack from; NULL: in place */
    struct shape shape; /* to unpack to */
    void **addresses;
};

/* For data to be unpacked. */
extern struct bufpool armcii_outstanding_buffers;
/* Any thread may read it without the lock. */
extern atomic_uint armcii_outstanding_count;

/* NULL while there are too many. */
struct outstanding *armcii_outstanding_new(uint64_t ticket, int owner);
/* The data come in the buffer, and are to be unpacked. */
void armcii_outstanding_unpacks(struct outstanding *o, const struct shape *s, char *buffer);
/* From now on it may complete at any time. */
void armcii_outstanding_started(struct outstanding *o, MPI_Request request);
/* Complete what can be completed; true when anything was. */
bool armcii_outstanding_progress(void);

/* Is any part of the operation outstanding?  Is any operation up to that ticket outstanding on memory of the owner, of anybody (-1)? */
bool armcii_outstanding_has(uint64_t ticket);
bool armcii_outstanding_of(int owner, uint64_t ticket);

/* ---- tags of replies ---- */

/* The tags of replies.  A tag belongs to one reply from the request until the reply is complete, so that replies may come in any
 * order. */

/* A tag that no other reply has, from AM_TAG_FIRST on; 0 while all AM_TAGS are in use. */
int armcii_tag_alloc(void);
void armcii_tag_free(int tag);

/* ---- rendezvous puts ---- */

/* Rendezvous puts that are not yet in place.  A server serves requests in order, but the data of a large put come in a message of
 * their own: what meets it must wait. */

/* A rendezvous put was asked of a server: it writes bytes between lo and hi of the owner's memory, and is acknowledged with the tag. */
struct rndv_put {
    int server, owner, tag;
    char *lo, *hi;
};
void armcii_rndv_add(const struct rndv_put *put);
/* It is in place. */
void armcii_rndv_remove(int server, int tag);

bool armcii_rndv_any(void);
/* How many were ever added. */
uint64_t armcii_rndv_count(void);
/* Is any of the first `count` on its way to the server?  Does any write between lo and hi of the owner's memory? */
bool armcii_rndv_have_server(int server, uint64_t count);
bool armcii_rndv_overlap(int owner, const char *lo, const char *hi);

#endif
