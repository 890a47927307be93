/* server.h - is memory of other hosts reached through agents (transport server), or by MPI's one-sided calls? */
#ifndef ARMCII_SERVER_H
#define ARMCII_SERVER_H

#include <stdbool.h>

/* Agents serve requests; memory of a host is shared by its processes. */
extern bool armcii_server_on;

/* Collective over the world and the ranks set aside: make the processes of the world each other's clients, and the ranks set aside agents.
 * Where there are none, the first process of each host is one, and MPI allows threads: whoever waits in MPI for an agent's process is
 * served all the same. */
void armcii_server_start(void);
/* This process serves memory of its host too, from now on. */
void armcii_server_join(void);
/* Collective; nothing is outstanding. */
void armcii_server_end(void);

#endif
