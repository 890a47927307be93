/* server.h - who serves requests from other nodes: one process of each node, for all memory of the node that it has mapped.  It works in
 * the progress thread (thread.h), and whenever its process waits inside the library.  It takes no lock of the library. */
#ifndef ARMCII_SERVER_H
#define ARMCII_SERVER_H

#include <mpi.h>
#include <stdbool.h>

/* Serve requests that arrive on comm; called again, it does nothing.  The end: nobody sends any more, no other thread serves. */
void armcii_server_start(MPI_Comm comm);
void armcii_server_end(void);
bool armcii_server_is_here(void);

/* Serve what has arrived, if this process is a server and no other thread is at it; true when something was done. */
bool armcii_server_serve(void);
/* The same by who waits in the library; how often that was done so far. */
bool armcii_server_poll(void);
unsigned armcii_server_poll_count(void);

/* Before memory from lo to hi is unmapped: wait until MPI has done with what it sends from there, and serve and let other threads in
 * meanwhile.  The clients have their data. */
void armcii_server_release(const char *lo, const char *hi);

#endif
