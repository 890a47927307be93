/* agent.h - who serves requests from other hosts: one process of each host, for all memory of the host that it has mapped.  It works in
 * a thread of its own, and whenever its process waits inside the library.  It takes no lock of the library. */
#ifndef ARMCII_AGENT_H
#define ARMCII_AGENT_H

#include <mpi.h>
#include <stdbool.h>

/* Serve requests that arrive on comm; called again, it does nothing.  The end: nobody sends any more. */
void armcii_agent_start(MPI_Comm comm);
void armcii_agent_end(void);

/* Serve what has arrived, if this process is an agent and no other thread is at it; true when something was done. */
bool armcii_agent_poll(void);

#endif
