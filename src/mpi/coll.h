/* coll.h - MPI's collectives and messages for processes that must not stand in them: where they outnumber the processors, or requests
 * of other nodes want serving, each is made non-blocking and waited for politely.  Else, and in what they do, they are MPI's own.
 *
 * Each releases the global lock while it waits: other threads run collectives of other groups meanwhile, in any order, and change every
 * table that the lock protects. */
#ifndef ARMCII_COLL_H
#define ARMCII_COLL_H

#include <mpi.h>
#include <stdbool.h>

/* Collective over all that will take part in the rest: be patient where one of them asks for it.  MPI matches no blocking collective with
 * a non-blocking one, so all are alike. */
void armcii_coll_start(bool wanted, MPI_Comm comm);
void armcii_coll_end(void);

void armcii_coll_barrier(MPI_Comm comm);
void armcii_coll_bcast(void *buffer, int bytes, int root, MPI_Comm comm);
void armcii_coll_allreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
void armcii_coll_reduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);
/* `bytes` bytes of each process; from may be MPI_IN_PLACE. */
void armcii_coll_allgather(const void *from, void *to, int bytes, MPI_Comm comm);

void armcii_coll_send(const void *buffer, int bytes, int to, int tag, MPI_Comm comm);
/* A message has arrived, and can be received without waiting. */
void armcii_coll_probe(int from, int tag, MPI_Comm comm, MPI_Status *status);
/* Wait for a message and receive it.  False where it has more than `room` bytes: it stays, and *status tells its length.  Several threads
 * may receive; all of that communicator do it by this function. */
bool armcii_coll_receive(void *buffer, int room, int from, int tag, MPI_Comm comm, MPI_Status *status);

#endif
