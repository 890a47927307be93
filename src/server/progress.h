/* progress.h - the agent of the transport rma: a thread in each process that enters MPI while the program does not, so that one-sided calls
 * of other processes go on.  MPI allows threads. */
#ifndef ARMCII_PROGRESS_H
#define ARMCII_PROGRESS_H

#include <stdbool.h>

/* Operations go on without their target's help: the thread is there. */
extern bool armcii_progress_on;

void armcii_progress_start(void);
/* Nobody's operation is outstanding. */
void armcii_progress_end(void);

#endif
