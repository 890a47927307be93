/* server.h - one process of each node serves requests from other nodes on the memory of its node.
 * It works in the progress thread (progress/loop.h) and whenever its process waits in the library.
 * It takes no lock of the library. */
#ifndef ARMCII_SERVER_H
#define ARMCII_SERVER_H

#include <mpi.h>
#include <stdbool.h>

/* Serve requests; a second call does nothing. End: no process sends requests
 * any more, no other thread serves. */
void armcii_server_start(void);
void armcii_server_end(void);
bool armcii_server_is_here(void);

/* Serve what has arrived if this process is a server and no other thread is serving; true when
 * there was any. */
bool armcii_server_serve(void);
/* As armcii_server_serve, for threads that wait in the library, and counted: poll_count returns the
 * number of calls. */
bool armcii_server_poll(void);
/* The same in two steps, between which the caller tests the receive of the next message beside its
 * own requests. NULL: this process is no server, or another thread is serving; there is no second
 * step. arrived: the status of the receive if it is complete, else NULL. */
MPI_Request *armcii_server_begin_poll(void);
bool armcii_server_end_poll(const MPI_Status *arrived);
unsigned armcii_server_poll_count(void);

#endif
