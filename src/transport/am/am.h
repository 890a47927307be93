/* am.h - the transport am: active messages.  Requests travel as MPI messages to a server on the target's node, which applies them to memory
 * of its node by loads, stores and atomic instructions (shm/apply.h).  The server runs in the progress thread of a process, or is a
 * progress rank. */
#ifndef ARMCII_AM_H
#define ARMCII_AM_H

#include <mpi.h>

#include "transport/transport.h"

extern const struct transport armcii_am;

/* Collective over the world and the progress ranks: connect clients and servers.  Where there are no progress ranks, the first process of
 * each node is a server, and MPI allows threads. */
void armcii_am_start(void);
/* Collective; nothing is outstanding. */
void armcii_am_end(void);

/* ---- barrier ---- */

/* A barrier of all processes of several nodes: on each node in shared memory, between nodes by messages of one process
 * of each. */

/* comm: of the requests; its ranks are those of the world. */
void armcii_barrier_start(MPI_Comm comm);
void armcii_barrier_end(void);

/* Not called under the global lock: other threads go on meanwhile. */
void armcii_barrier(void);

#endif
