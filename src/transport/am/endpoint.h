/* endpoint.h - messages to the servers of other nodes: put together, sent, acknowledged.  Called under the global lock, which is passed on
 * while waiting. */
#ifndef ARMCII_ENDPOINT_H
#define ARMCII_ENDPOINT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/backoff.h"

/* Messages travel on comm, whose ranks are those of the world and of the progress ranks. */
void armcii_endpoints_start(MPI_Comm comm);
/* Nothing is outstanding. */
void armcii_endpoints_end(void);
extern MPI_Comm armcii_endpoints_comm;
/* Is there a progress thread that completes what the program leaves under way? */
extern bool armcii_endpoints_have_thread;

/* ---- sending ---- */

/* A server this process has asked something of; the first call for a server connects. */
struct endpoint;
struct endpoint *armcii_endpoint(int server);
/* Room for a record of so many bytes in the open message; acknowledge: a fence waits for the message. */
char *armcii_endpoint_append(struct endpoint *e, size_t length, bool acknowledge);
/* Send the open message: now; when it is worth it, for updates that nobody waits for; those of all endpoints. */
void armcii_endpoint_send(struct endpoint *e);
void armcii_endpoint_send_when_due(struct endpoint *e);
void armcii_endpoints_send(void);
/* A large put was requested: an acknowledgement is to come. */
void armcii_endpoints_expect_rndv(void);

/* Before the program goes on: what it started reaches the server, all servers, although it may never call again. */
void armcii_endpoint_leave(struct endpoint *e);
void armcii_endpoints_leave(void);

/* ---- progress ---- */

/* Is anything of this process under way: messages that MPI has not finished, updates not yet acknowledged?  Any thread may ask, without
 * the lock. */
bool armcii_endpoints_are_busy(void);
/* Let all of it go on, without waiting; true when something did. */
bool armcii_endpoints_progress(void);
/* One turn of any wait: all goes on, this process serves, and other threads come in. */
void armcii_am_progress(struct backoff *p);
/* Wait for a request of MPI that way. */
void armcii_endpoints_wait(MPI_Request *request);

/* ---- remote completion ---- */

/* What was started towards the node of a process, the nodes of a team, all nodes, is in place there.  All are asked first, then awaited. */
void armcii_endpoints_fence(int process);
struct team;
void armcii_endpoints_fence_team(const struct team *team);
void armcii_endpoints_fence_all(void);
/* Is nothing left for them to do? */
bool armcii_endpoints_are_quiet(void);

#endif
