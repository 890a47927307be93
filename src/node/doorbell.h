/* doorbell.h - wakes the progress thread of another process of this node: MPI's messages in shared
 * memory raise no event. A doorbell is a count in the node control block. What ends its owner's
 * sleep is a bell, an eventfd that several doorbells may share: it has no name, so that only the
 * processes of the node can ring it. */
#ifndef ARMCII_DOORBELL_H
#define ARMCII_DOORBELL_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>

struct doorbell {
    _Alignas(64) atomic_uint rung; /* number of rings */
    atomic_bool asleep;            /* the thread sleeps: a ring must wake it */
};

/* The doorbells of the node, of which the caller has number `rank`, one for each of the `size`
 * processes of comm. NULL: memory is not shared. */
void armcii_doorbells_use(struct doorbell *all, int rank, int size, MPI_Comm comm);

/* Collective over the processes of the node: `bells` > 0 of them, or as many as the node has
 * processes or a message passes, if that is less. Afterwards all have these bells, or none has. */
void armcii_doorbells_start(int bells);
void armcii_doorbells_end(void);
/* Only the first process's part of the start: false, and no bell, if the system refuses. */
bool armcii_doorbells_open(int bells);

/* The bell of the caller's doorbell; -1 if there are none. It becomes readable when an armed
 * doorbell of this bell is rung. Who has a bell alone may read it, others watch for edges. */
int armcii_doorbell_fd(void);

/* The caller waits for MPI progress of this process of the world. Does nothing if the process is
 * the caller's own or on another node. */
void armcii_doorbell_ring(int process);
/* The same for the server, the first process of the node, which may be the caller. */
void armcii_doorbell_ring_server(void);

/* For the owner, around a sleep, in which a ring rings the bell. False, before it: the doorbell was
 * rung since it was cleared last. */
bool armcii_doorbell_begin_sleep(void);
void armcii_doorbell_end_sleep(void);
/* Clear it; true if it was rung since it was cleared last. */
bool armcii_doorbell_clear(void);

#endif
