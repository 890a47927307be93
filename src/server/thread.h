/* thread.h - the library's own thread in a process of a job on several hosts: where the process is an agent it serves, everywhere it lets
 * MPI move what the program left under way.  It takes no lock of the library. */
#ifndef ARMCII_THREAD_H
#define ARMCII_THREAD_H

#include <mpi.h>
#include <stdatomic.h>

/* Messages of this process that MPI has not finished; the client counts. */
extern atomic_uint armcii_thread_transfers;

/* comm: to look for messages on, so that MPI makes progress. */
void armcii_thread_start(MPI_Comm comm);
void armcii_thread_end(void);

/* The program goes on with transfers under way, or there is something else to do: the thread need not sleep any longer. */
void armcii_thread_wake(void);

#endif
