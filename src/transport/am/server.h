/* server.h - the server: one process of each node serves requests from other nodes on the memory of its node. It works in the progress
 * thread (thread.h) and whenever its process waits in the library. It takes no lock of the library. */
#ifndef ARMCII_SERVER_H
#define ARMCII_SERVER_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* Serve requests that arrive on comm; a second call does nothing. End: no process sends requests any more, no other thread serves. */
void armcii_server_start(MPI_Comm comm);
void armcii_server_end(void);
bool armcii_server_is_here(void);

/* Serve what has arrived if this process is a server and no other thread is serving; true when there was any. */
bool armcii_server_serve(void);
/* The same for threads that wait in the library; the number of such calls so far. */
bool armcii_server_poll(void);
unsigned armcii_server_poll_count(void);

/* Before [lo, hi) is unmapped: wait until zero-copy messages there are complete. The clients have their data already. Meanwhile serve and
 * let other threads in. */
void armcii_server_release(const char *lo, const char *hi);

/* ---- mutexes of the processes of its node (mutex_server.c): their holders and first-in, first-out queues ---- */

/* A mutex is identified by set, owner and number. True when it is granted; else the client is queued. */
bool armcii_mutex_server_lock(uint64_t set, int owner, uint64_t number, int client, int tag);
/* True when it is granted; never queues. */
bool armcii_mutex_server_trylock(uint64_t set, int owner, uint64_t number);
/* Release the mutex; true when it passes to the next client in the queue: *client, *tag. */
bool armcii_mutex_server_unlock(uint64_t set, int owner, uint64_t number, int *client, int *tag);
void armcii_mutex_server_clear(void);

#endif
