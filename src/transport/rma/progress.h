/* progress.h - the progress thread of the transport rma, one in each process.  It enters MPI while the program does not, so that one-sided
 * calls of other processes advance. */
#ifndef ARMCII_RMA_PROGRESS_H
#define ARMCII_RMA_PROGRESS_H

/* Collective over the world; MPI allows threads. */
void armcii_rma_progress_start(void);
/* Collective; no operation is outstanding on any process. */
void armcii_rma_progress_end(void);

#endif
