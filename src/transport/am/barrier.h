/* barrier.h - a barrier of all processes of several nodes: on each node in shared memory, between nodes by messages of one process
 * of each. */
#ifndef ARMCII_BARRIER_H
#define ARMCII_BARRIER_H

#include <mpi.h>

/* comm: of the requests; its ranks are those of the world. */
void armcii_barrier_start(MPI_Comm comm);
void armcii_barrier_end(void);

/* Not called under the global lock: other threads go on meanwhile. */
void armcii_barrier(void);

#endif
