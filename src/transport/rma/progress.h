/* progress.h - the progress thread of the transport rma, one in each process.  It enters MPI while the program does not, so that one-sided
 * calls of other processes advance. */
#ifndef ARMCII_RMA_PROGRESS_H
#define ARMCII_RMA_PROGRESS_H

#include <stdbool.h>

#include "mpi/window.h"

/* The thread exists: operations advance without their target's help. */
extern bool armcii_rma_progress_on;

/* Collective over the world; MPI allows threads. */
void armcii_rma_progress_start(void);
/* Collective; no operation is outstanding on any process. */
void armcii_rma_progress_end(void);

/* armcii_window_flush and armcii_window_flush_local for rank `rank` of the window, which is `process` of the world.  They ring its doorbell
 * first, if it has one. */
void armcii_rma_flush(struct window *w, int rank, int process);
void armcii_rma_flush_local(struct window *w, int rank, int process);

#endif
