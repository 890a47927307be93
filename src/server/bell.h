/* bell.h - waking the library's thread of another process of this host: what MPI does between them in shared memory makes no sound. */
#ifndef ARMCII_BELL_H
#define ARMCII_BELL_H

#include <stdbool.h>

/* Collective over the processes of the host: from now on each has a bell, or none. */
void armcii_bells_start(void);
/* This process's part of it. */
void armcii_bell_hang(void);
void armcii_bells_end(void);

/* Where a bell is heard: a descriptor to listen to; -1: the processes of this host have none. */
int armcii_bell_descriptor(void);

/* The process of the world, if it is another one of this host, has something to do for the caller inside MPI. */
void armcii_bell_ring(int process);

/* For the thread: has the bell been rung since it was answered? */
bool armcii_bell_rings(void);
/* true when it had been. */
bool armcii_bell_answer(void);
/* Sleep is announced before; then the bell may ring already; and taken back after. */
void armcii_bell_announce_sleep(bool asleep);

#endif
