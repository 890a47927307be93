/* doorbell.h - waking the progress thread of another process of this node: MPI's messages in shared memory raise no event. */
#ifndef ARMCII_DOORBELL_H
#define ARMCII_DOORBELL_H

#include <stdbool.h>

/* Collective over the processes of the node.  Afterwards all have doorbells, or none has. */
void armcii_doorbells_start(void);
void armcii_doorbells_end(void);
/* Only this process's part of the start, untested. */
void armcii_doorbell_open(void);

/* A descriptor that becomes readable when an armed doorbell is rung; -1 if there are no doorbells. */
int armcii_doorbell_fd(void);

/* The caller waits for MPI progress of this process of the world.  Does nothing if the process is the caller's own or on another node. */
void armcii_doorbell_ring(int process);

/* For the owner.  Arm before a sleep, disarm after: only an armed doorbell makes the descriptor readable.  Check for a pending ring after
 * arming. */
void armcii_doorbell_arm(bool armed);
/* Was it rung since it was cleared last? */
bool armcii_doorbell_is_pending(void);
/* Clear it; true if it was pending. */
bool armcii_doorbell_clear(void);

#endif
