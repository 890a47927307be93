/* am.h - is memory of other nodes reached through servers (transport server), or by MPI's one-sided calls? */
#ifndef ARMCII_AM_H
#define ARMCII_AM_H

#include <stdbool.h>

/* Servers serve requests; memory of a node is shared by its processes. */
extern bool armcii_am_on;

/* Collective over the world and the progress ranks: make the processes of the world each other's clients, and the progress ranks servers.
 * Where there are none, the first process of each node is one, and MPI allows threads: whoever waits in MPI for a server's process is
 * served all the same. */
void armcii_am_start(void);
/* This process serves memory of its node too, from now on. */
void armcii_am_join(void);
/* Collective; nothing is outstanding. */
void armcii_am_end(void);

#endif
