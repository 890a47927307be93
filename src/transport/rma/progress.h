/* progress.h - the server of the transport rma: a thread in each process that enters MPI while the program does not, so that one-sided calls
 * of other processes go on. */
#ifndef ARMCII_RMA_PROGRESS_H
#define ARMCII_RMA_PROGRESS_H

/* Collective over the world; MPI allows threads. */
void armcii_rma_progress_start(void);
/* Collective; nobody's operation is outstanding. */
void armcii_rma_progress_end(void);

#endif
