/* endpoint.h - endpoints: the messages to each server and their acknowledgements; the operations that are not complete locally. Called
 * under the global lock, which is suspended while waiting. */
#ifndef ARMCII_ENDPOINT_H
#define ARMCII_ENDPOINT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lock.h"
#include "shape/shape.h"
#include "transport/am/proto.h"

/* comm: its ranks are those of the world, then the progress ranks. */
void armcii_endpoints_start(MPI_Comm comm);
/* Nothing is outstanding. */
void armcii_endpoints_end(void);
extern MPI_Comm armcii_endpoints_comm;
/* A progress thread completes what the program leaves outstanding. */
extern bool armcii_endpoints_have_thread;

/* ---- sending ---- */

/* The endpoint of a server; the first call connects. */
struct endpoint;
struct endpoint *armcii_endpoint(int server);
/* Room for a request of that length in the open message; acknowledge: a fence waits for the message. */
char *armcii_endpoint_append(struct endpoint *e, size_t length, bool acknowledge);
/* Send the open message: now; if there is reason not to coalesce more updates; of all endpoints. */
void armcii_endpoint_send(struct endpoint *e);
void armcii_endpoint_send_if_due(struct endpoint *e);
void armcii_endpoints_send(void);

/* A rendezvous put whose data are not yet in place: it writes within [lo, hi) of the owner's memory and is acknowledged with the tag. A
 * server serves requests in order but receives rendezvous data later, so that operations on the same bytes wait. */
struct rndv_put {
    int server, owner, tag;
    char *lo, *hi;
};
/* The put is about to be sent; its acknowledgement frees the tag. */
void armcii_rndv_add(const struct rndv_put *put);
bool armcii_rndv_any(void);
/* Does any put write within [lo, hi) of the owner's memory? */
bool armcii_rndv_overlaps(int owner, const char *lo, const char *hi);

/* Before the program goes on: make sure that what it started reaches the server, or all servers, even if it never calls again. */
void armcii_endpoint_leave(struct endpoint *e);
void armcii_endpoints_leave(void);

/* ---- progress ---- */

/* Is anything of this process outstanding: MPI messages or unacknowledged updates? Any thread may call it, without the lock. */
bool armcii_endpoints_are_busy(void);
/* Make progress on all of it, without waiting; true when there was any. */
bool armcii_endpoints_progress(void);
/* One round of any wait: make progress, serve, back off, let other threads in. */
void armcii_am_progress(struct backoff *p);
/* Wait for an MPI request by such rounds. */
void armcii_endpoints_wait(MPI_Request *request);

/* ---- remote completion ---- */

/* What was started towards one server, rendezvous puts outside [lo, hi) of the owner's memory excepted, is in place on return. */
void armcii_endpoint_order(int server, int owner, const char *lo, const char *hi);
/* What was started towards a process, the nodes of a team, all nodes, is in place there on return. */
void armcii_endpoints_fence(int process);
struct team;
void armcii_endpoints_fence_team(const struct team *team);
void armcii_endpoints_fence_all(void);
/* Is there nothing that a fence would wait for? */
bool armcii_endpoints_are_quiet(void);

/* ---- operations of this process that are not complete locally: rendezvous puts being sent, gets being received ---- */

struct outstanding {
    uint64_t id;
    int owner;          /* of the remote memory */
    int tag;            /* of the reply, freed when it is complete; 0: none */
    char *buffer;       /* to unpack from; NULL: zero-copy */
    struct shape shape; /* to unpack to */
    void **addresses;
};

/* Buffers for replies that are unpacked. */
extern struct bufpool armcii_outstanding_buffers;

/* NULL while there are too many. */
struct outstanding *armcii_outstanding_new(uint64_t id, int owner);
/* The data arrive in the buffer; unpack them to s. */
void armcii_outstanding_set_unpack(struct outstanding *o, const struct shape *s, char *buffer);
/* The operation may complete from now on. */
void armcii_outstanding_start(struct outstanding *o, MPI_Request request);

/* Is any fragment of the operation outstanding? Is any operation up to that id outstanding on memory of the owner, or of anybody (-1)? */
bool armcii_outstanding_has(uint64_t id);
bool armcii_outstanding_to(int owner, uint64_t id);

/* ---- tags of replies ---- */

/* A free tag, from AM_TAG_FIRST on; 0 while all AM_TAGS are in use. It belongs to one reply until that is complete, so that replies may
 * arrive in any order. */
int armcii_tag_alloc(void);
void armcii_tag_free(int tag);

#endif
