/* rma.h - the transport rma: windows and one-sided calls of MPI-3.  An operation is complete when its window is flushed: pending.h keeps
 * the books of what is not. */
#ifndef ARMCII_RMA_TRANSPORT_H
#define ARMCII_RMA_TRANSPORT_H

#include "transport/transport.h"

extern const struct transport armcii_rma;

/* Collective over the world.  with_thread: a thread in each process makes progress in MPI; MPI allows threads. */
void armcii_rma_start(bool with_thread);
/* Collective; nothing is outstanding. */
void armcii_rma_end(void);

#endif
