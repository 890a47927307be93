/* progress.h - the server of the transport rma: a thread in each process that enters MPI while the program does not, so that one-sided calls
 * of other processes go on. */
#ifndef ARMCII_RMA_PROGRESS_H
#define ARMCII_RMA_PROGRESS_H

#include <stdbool.h>

#include "mpi/window.h"

/* Operations go on without their target's help: the thread is there. */
extern bool armcii_rma_progress_on;

/* Collective over the world; MPI allows threads. */
void armcii_rma_progress_start(void);
/* Collective; nobody's operation is outstanding. */
void armcii_rma_progress_end(void);

/* armcii_window_flush and armcii_window_flush_local towards rank `rank` of the window, which is `process` of the world: with its thread's
 * help, where there is one. */
void armcii_rma_flush(struct window *w, int rank, int process);
void armcii_rma_flush_local(struct window *w, int rank, int process);

#endif
