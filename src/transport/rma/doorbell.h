/* doorbell.h - waking the progress thread of another process of this node: what MPI does between them in shared memory makes no sound. */
#ifndef ARMCII_DOORBELL_H
#define ARMCII_DOORBELL_H

#include <stdbool.h>

/* Collective over the processes of the node: from now on each has a doorbell, or none. */
void armcii_doorbells_start(void);
/* This process's part of it. */
void armcii_doorbell_open(void);
void armcii_doorbells_end(void);

/* Where a doorbell is heard: a descriptor to listen to; -1: the processes of this node have none. */
int armcii_doorbell_fd(void);

/* The process of the world, if it is another one of this node, has something to do for the caller inside MPI. */
void armcii_doorbell_ring(int process);

/* For the thread: has the doorbell been rung since it was answered? */
bool armcii_doorbell_is_pending(void);
/* true when it had been. */
bool armcii_doorbell_clear(void);
/* Sleep is announced before; then the doorbell may ring already; and taken back after. */
void armcii_doorbell_arm(bool asleep);

#endif
