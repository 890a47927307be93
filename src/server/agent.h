/* agent.h - who serves requests from other hosts: one process of each host, for all memory of the host that it has mapped.  It works in
 * the library's thread (thread.h), and whenever its process waits inside the library.  It takes no lock of the library. */
#ifndef ARMCII_AGENT_H
#define ARMCII_AGENT_H

#include <mpi.h>
#include <stdbool.h>

/* Serve requests that arrive on comm; called again, it does nothing.  The end: nobody sends any more, no other thread serves. */
void armcii_agent_start(MPI_Comm comm);
void armcii_agent_end(void);
bool armcii_agent_is_here(void);

/* Serve what has arrived, if this process is an agent and no other thread is at it; true when something was done. */
bool armcii_agent_serve(void);
/* The same by who waits in the library; how often that was done so far. */
bool armcii_agent_poll(void);
unsigned armcii_agent_help(void);

/* Before memory from lo to hi is unmapped: wait until MPI has done with what it sends from there, and serve and let other threads in
 * meanwhile.  The clients have their data. */
void armcii_agent_release(const char *lo, const char *hi);

#endif
