/* coll.h - nonblocking collectives with progress.  Each function does what the MPI function of its name does.  If processes outnumber
 * processors, or requests of other nodes must be served meanwhile, it uses the nonblocking MPI function and makes progress while it
 * waits.
 *
 * Each function releases the global lock while it waits: other threads may run collectives of other groups and change all state that the
 * lock protects. */
#ifndef ARMCII_COLL_H
#define ARMCII_COLL_H

#include <mpi.h>
#include <stdbool.h>

/* Collective over all later users.  Selects nonblocking collectives on all of them if one wants them: MPI does not match a blocking
 * collective with a nonblocking one. */
void armcii_coll_start(bool wanted, MPI_Comm comm);
void armcii_coll_end(void);

void armcii_coll_barrier(MPI_Comm comm);
void armcii_coll_bcast(void *buffer, int bytes, int root, MPI_Comm comm);
void armcii_coll_allreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
void armcii_coll_reduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);
/* `bytes` of each process; from may be MPI_IN_PLACE. */
void armcii_coll_allgather(const void *from, void *to, int bytes, MPI_Comm comm);

void armcii_coll_send(const void *buffer, int bytes, int to, int tag, MPI_Comm comm);
/* Waits until a message has arrived. */
void armcii_coll_probe(int from, int tag, MPI_Comm comm, MPI_Status *status);
/* Waits for a message and receives it.  Returns false if it has more than `room` bytes: the message stays, and *status has its length.
 * Several threads may receive, if all receives of the communicator use this function. */
bool armcii_coll_receive(void *buffer, int room, int from, int tag, MPI_Comm comm, MPI_Status *status);

#endif
