/* doorbell.h - wakes the progress thread of another process of this node: MPI's messages in shared
 * memory raise no event. A doorbell is a count in the node control block, and a datagram socket
 * that ends its owner's sleep. */
#ifndef ARMCII_DOORBELL_H
#define ARMCII_DOORBELL_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>

struct doorbell {
    _Alignas(64) atomic_uint rung; /* number of rings */
    atomic_bool asleep;            /* the thread sleeps: a ring must wake it */
    unsigned char length;          /* length of the name; 0: no doorbell */
    char name[15];                 /* name of its socket */
};

/* The doorbells of the node, of which the caller has number `rank`; `size` of them belong to the
 * processes of comm, those behind to progress ranks. NULL: memory is not shared. */
void armcii_doorbells_use(struct doorbell *all, int rank, int size, MPI_Comm comm);

/* Collective over the processes of the node. Afterwards all have doorbells, or none has. */
void armcii_doorbells_start(void);
void armcii_doorbells_end(void);
/* Only this process's part of the start, untested: where datagrams do not arrive, the other wakes
 * at the end of its sleep only. */
void armcii_doorbell_open(void);

/* A descriptor that becomes readable when an armed doorbell is rung; -1 if there are no doorbells.
 */
int armcii_doorbell_fd(void);

/* The caller waits for MPI progress of this process of the world. Does nothing if the process is
 * the caller's own or on another node. */
void armcii_doorbell_ring(int process);
/* The same for a rank on the node, progress ranks and the caller included. */
void armcii_doorbell_ring_number(unsigned number);

/* For the owner. Arm before a sleep, disarm after: only an armed doorbell makes the descriptor
 * readable. Check for a pending ring after arming. */
void armcii_doorbell_arm(bool armed);
/* Was it rung since it was cleared last? */
bool armcii_doorbell_is_pending(void);
/* Clear it; true if it was pending. */
bool armcii_doorbell_clear(void);

#endif
