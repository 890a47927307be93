/* am.h - the transport am: active messages. Requests travel as MPI messages to a server on the target's node, which applies them by loads,
 * stores and atomic instructions (shm/apply.h). The server runs in the progress thread of a process, or is a progress rank. */
#ifndef ARMCII_AM_H
#define ARMCII_AM_H

#include "transport/transport.h"

extern const struct transport armcii_am;

/* Collective over the world and the progress ranks. Without progress ranks the first process of each node is a server; this requires
 * MPI_THREAD_MULTIPLE. */
void armcii_am_start(void);
/* Collective; nothing is outstanding. */
void armcii_am_end(void);

#endif
