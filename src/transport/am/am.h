/* am.h - the transport am: active messages. Requests travel as MPI messages to a server on the
 * target's node, which applies them by loads, stores and atomic instructions (shm/shm.h). The
 * server runs in the progress thread of a process, or is a progress rank. proto.h has the messages.
 */
#ifndef ARMCII_AM_H
#define ARMCII_AM_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lock.h"
#include "transport/am/proto.h"
#include "transport/transport.h"

extern const struct transport armcii_am;

/* Collective over the world and the progress ranks. Without progress ranks the first process of
 * each node is a server; this requires MPI_THREAD_MULTIPLE. */
void armcii_am_start(void);
/* Collective; nothing is outstanding. */
void armcii_am_end(void);

/* Around a sleep of a server: neighbours ring while it lasts (struct loop_policy). */
bool armcii_am_begin_sleep(void);
void armcii_am_end_sleep(bool signaled);

/* ---- operations by requests to the servers of other nodes (client.c) ----
 *
 * Called under the global lock, which is suspended while waiting. */

/* The slot of struct transport.  Eager puts and accumulates are copied, so they are complete; they
 * may be coalesced with later ones. */
int armcii_client_start(const struct op *op, const struct raddr *raddr, struct request *req);
/* Return when the operation is complete locally. */
void armcii_client_wait(uint64_t id);
/* Is the operation complete locally? Neither waits nor makes progress. */
bool armcii_client_is_complete(uint64_t id);
/* Return when all operations on memory of the process, or of all (-1), are complete locally. */
void armcii_client_wait_all(int owner);

/* *address, an int or long of `bytes` bytes in the owner's memory: see armcii_apply_rmw. */
long armcii_client_rmw(int owner, enum rmw_update update, size_t bytes, void *address,
                       long operand);

/* A mutex of the server's node, at its owner's address (shm/mutex.h).  Released when a fence has
 * completed. */
void armcii_client_lock(int server, void *mutex);
bool armcii_client_trylock(int server, void *mutex);
void armcii_client_unlock(int server, void *mutex);

/* ---- mutexes of several nodes (mutexes.c); the functions are those of struct transport ---- */

void armcii_am_lock(void *set, int owner, int mutex);
bool armcii_am_trylock(void *set, int owner, int mutex);
void armcii_am_unlock(void *set, int owner, int mutex);

/* ---- endpoints (endpoint.c) ----
 *
 * The messages to each server and their acknowledgements. Called under the global lock, which
 * is suspended while waiting. */

/* comm: its ranks are those of the world, then the progress ranks. */
void armcii_endpoints_start(MPI_Comm comm);
/* Nothing is outstanding. */
void armcii_endpoints_end(void);
struct endpoints {
    MPI_Comm comm;
    bool have_thread;              /* it completes what the program leaves outstanding */
    unsigned unsent;               /* messages that wait for room, rendezvous puts not in place */
    size_t eager_max, message_max; /* armcii_am_eager_max, armcii_am_message_max */
};
extern const struct endpoints *const armcii_endpoints;

/* Sending. */

/* The endpoint of a server; the first call connects. */
struct endpoint;
struct outstanding;
struct endpoint *armcii_endpoint(int server);
/* Wait until the open message has room for a request of that length. */
void armcii_endpoint_reserve(struct endpoint *e, size_t length);
/* Room for a request of that length in the open message; acknowledge: a fence waits for the
 * message. */
char *armcii_endpoint_append(struct endpoint *e, size_t length, bool acknowledge);
/* The short get whose request has been appended is outstanding: the server's answer completes it.
 */
void armcii_endpoint_add_get(struct endpoint *e, struct outstanding *o);
/* Send the open message, as soon as there is room in the window: now; if there is reason not to
 * coalesce more updates, or more short gets; of all endpoints. */
void armcii_endpoint_send(struct endpoint *e);
void armcii_endpoint_send_if_due(struct endpoint *e);
void armcii_endpoint_send_gets_if_due(struct endpoint *e);
void armcii_endpoints_send(void);

/* A rendezvous put whose data are not yet in place: it writes within [lo, hi) of the owner's memory
 * and is acknowledged with the tag. A server serves requests in order but receives rendezvous data
 * later, so that operations on the same bytes wait. */
struct rndv_put {
    int server, owner, tag;
    char *lo, *hi;
    char *flag; /* an int that is set behind the data; NULL: none */
};
/* May so many bytes of data (armcii_am_rndv_size) be sent before the server asks for them? */
bool armcii_endpoint_has_room(const struct endpoint *e, uint32_t bytes);
/* The request of the put is in the open message, and so many bytes follow unasked; its
 * acknowledgement frees the tag. */
void armcii_rndv_add(struct endpoint *e, const struct rndv_put *put, uint32_t bytes);
/* Does any put, or its flag, write within [lo, hi) of the owner's memory? */
bool armcii_rndv_overlaps(int owner, const char *lo, const char *hi);

/* Before the program goes on: make sure that what it started reaches the server, or all servers,
 * even if it never calls again. */
void armcii_endpoint_push(struct endpoint *e);
void armcii_endpoints_push(void);

/* Progress. */

/* Is anything of this process outstanding: MPI messages or unacknowledged updates? Any thread may
 * call it, without the lock. */
bool armcii_endpoints_are_busy(void);
/* May messages for which nothing is outstanding still be in MPI's queue, behind some of the
 * program?  The same. */
bool armcii_endpoints_owe(void);
/* Polls for acknowledgements by streams of updates and short gets, whose threads advance them for
 * now.
 */
unsigned armcii_endpoints_stream_polls(void);
/* Make progress on all of it, without waiting; true when there was any. */
bool armcii_endpoints_progress(void);
/* One round of any wait: make progress, serve, back off, let other threads in. */
void armcii_am_progress(struct backoff *p);
/* Wait for an MPI request by such rounds. */
void armcii_endpoints_wait(MPI_Request *request);

/* Remote completion. */

/* What was started towards one server, rendezvous puts outside [lo, hi) of the owner's memory
 * excepted, is in place on return. */
void armcii_endpoint_order(int server, int owner, const char *lo, const char *hi);
/* An update to the server follows, then order_flag and another one: both may go in one message. */
void armcii_endpoints_expect_flag(int server);
/* The update carries the flag: no other one follows. */
void armcii_endpoint_expect_no_flag(int server);
/* The same for all operations on memory of the process, except for eager requests to that server:
 * it applies those before a later one. The next update to it is not coalesced. */
void armcii_endpoints_order_flag(int server, int process);
/* What was started towards a process, the nodes of a team, all nodes, is in place there on return.
 */
void armcii_endpoints_fence(int process);
void armcii_endpoints_fence_team(const struct team *team);
void armcii_endpoints_fence_all(void);
/* Is there nothing that a fence would wait for? */
bool armcii_endpoints_are_quiet(void);

/* ---- outstanding operations (outstanding.c) ----
 *
 * Operations of this process that are not complete locally: rendezvous puts being sent, gets being
 * received. Called under the global lock.
 */

struct outstanding {
    uint64_t id;
    int owner;          /* of the remote memory */
    int tag;            /* of the reply, freed when it is complete; 0: none */
    char *buffer;       /* to unpack from; NULL: zero-copy */
    struct shape shape; /* to unpack to; to send from */
    void **addresses;
    int server, data_tag; /* a rendezvous put whose data wait for the server's reply; tag 0: none */
    bool is_short;        /* a get whose reply comes in an answer of the server */
};

/* Buffers for replies that are unpacked. */
extern struct bufpool armcii_outstanding_buffers;

/* NULL while there are too many. */
struct outstanding *armcii_outstanding_new(uint64_t id, int owner);
/* The data arrive in the buffer (NULL: in an answer); unpack them to s. */
void armcii_outstanding_set_unpack(struct outstanding *o, const struct shape *s, char *buffer);
/* When the server's reply has arrived, send s, which is contiguous or strided. */
void armcii_outstanding_set_send(struct outstanding *o, const struct shape *s, int server, int tag);
/* The operation may complete from now on. */
void armcii_outstanding_start(struct outstanding *o, MPI_Request request);
/* The same for a short get, whose request is the last one for that server. */
void armcii_outstanding_start_short(struct outstanding *o, int server);
/* Complete the server's oldest short gets, whose replies these are; how many. */
unsigned armcii_outstanding_take_replies(int server, const char *replies, size_t bytes);

/* Complete what MPI has finished; true when there was any. */
bool armcii_outstanding_progress(void);

/* Is anything outstanding, or about to be? Any thread may call it, without the lock. */
bool armcii_outstanding_any(void);
/* A fragment of the operation that is outstanding; NULL: none. Is any operation up to that id
 * outstanding on memory of the owner, or of anybody (-1)? */
const struct outstanding *armcii_outstanding_find(uint64_t id);
bool armcii_outstanding_to(int owner, uint64_t id);

/* A free tag, from AM_TAG_FIRST on; 0 while all AM_TAGS are in use. It belongs to one reply until
 * that is complete, so that replies may arrive in any order. */
int armcii_tag_alloc(void);
void armcii_tag_free(int tag);

/* ---- slots (slots.c) ----
 *
 * The buffers of a server for messages. Messages of a client complete in any order: a slot keeps
 * one until it is the client's next. Called by the thread that serves. */

void armcii_slots_start(MPI_Comm comm);
/* No process sends any more, and no message is left. */
void armcii_slots_end(void);
/* Receive what has arrived, without waiting; true when any message is complete. */
bool armcii_slots_poll(void);
int armcii_slots(void);
/* The complete message of slot i and its sender; NULL: none. Valid until the slot is posted again.
 */
const struct am_message_header *armcii_slot_message(int i, int *client);
void armcii_slot_post(int i);

/* ---- the server (server.c) ----
 *
 * One process of each node serves requests from other nodes on the memory of its node. It works in
 * the progress thread (thread.h) and whenever its process waits in the library. It takes no lock of
 * the library. */

/* Serve requests that arrive on comm; a second call does nothing. End: no process sends requests
 * any more, no other thread serves. */
void armcii_server_start(MPI_Comm comm);
void armcii_server_end(void);
bool armcii_server_is_here(void);

/* Serve what has arrived if this process is a server and no other thread is serving; true when
 * there was any. */
bool armcii_server_serve(void);
/* The same for threads that wait in the library; the number of such calls so far. */
bool armcii_server_poll(void);
unsigned armcii_server_poll_count(void);

/* Clients in line for mutexes of its node (mutex_server.c).  Called by the thread that serves. */

struct mutex;
/* True when the client has the mutex; else it is in line. */
bool armcii_mutex_server_lock(struct mutex *m, int client, int tag);
/* Its holder, a client, releases it; true when it passes to the next one: *client, *tag. */
bool armcii_mutex_server_unlock(struct mutex *m, int *client, int *tag);
/* Calls grant for each client that has its mutex now. */
void armcii_mutex_server_grant(void (*grant)(int client, int tag));
/* Clients in line wait for nothing any more. */
void armcii_mutex_server_end(void);

/* ---- progress ranks (progress_rank.c) ----
 *
 * ARMCI_PROGRESS=rank: ARMCI_PROGRESS_RANKS on each node of a job on several, for programs that may
 * have no thread. The last processes of each node become progress ranks at the first start, until
 * MPI ends. Each serves a contiguous part of the node's other processes: it waits for a start,
 * serves their memory until ARMCI ends, and waits again. It is no member of the world. The
 * processes that it serves send it control messages: start, stop, and finalize. When all of them
 * are in MPI_Finalize, it finalizes MPI, too. */

/* Select the processes of a start.  With progress ranks, *all (to be freed) is the program's
 * processes in the order of comm and, behind them, *progress_ranks progress ranks; else comm itself
 * and 0.  Collective over comm; at a later start the progress ranks need not call. Returns NULL,
 * or, on all processes, why ARMCI_PROGRESS=rank is impossible. */
const char *armcii_progress_rank_select(MPI_Comm comm, MPI_Comm *all, int *progress_ranks);
/* The number, among all progress ranks, of the one that serves the caller, or of the caller if it
 * is one. */
int armcii_progress_rank_number(void);
/* Did an earlier start choose progress ranks? */
bool armcii_progress_rank_is_enabled(void);
/* Why there is no progress rank in spite of ARMCI_PROGRESS=rank; else NULL. */
const char *armcii_progress_rank_reason(void);

/* Called by the program's processes: at the end of MPI, tell the caller's progress rank.  To be
 * called after armcii_finalize_prepare_barrier: what is prepared last is called first, and the
 * progress rank must reach that barrier, too. */
void armcii_progress_rank_hook_finalize(void);
/* The program has ended ARMCI: no requests follow. */
void armcii_progress_rank_stop(void);

/* Called by a progress rank: serve until the program starts ARMCI again, has ended it, or is in
 * MPI_Finalize with all processes. */
enum progress_rank_event { PROGRESS_RANK_STARTED, PROGRESS_RANK_STOPPED, PROGRESS_RANK_FINALIZE };
enum progress_rank_event armcii_progress_rank_serve(void);
/* Called by a progress rank when started again: its part of armcii_progress_rank_select. */
void armcii_progress_rank_join(MPI_Comm *all, int *progress_ranks);

#endif
