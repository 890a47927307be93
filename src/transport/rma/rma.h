/* rma.h - the transport rma: MPI-3 windows and one-sided calls.  A flush completes operations; pending.h tracks the incomplete ones. */
#ifndef ARMCII_RMA_TRANSPORT_H
#define ARMCII_RMA_TRANSPORT_H

#include "transport/transport.h"

extern const struct transport armcii_rma;

/* Collective over the world.  with_thread: a progress thread in each process; MPI allows threads.  passive_target: operations on this
 * process's memory need no call of this process. */
void armcii_rma_start(bool with_thread, bool passive_target);
/* Collective; no operations are pending. */
void armcii_rma_end(void);

#endif
