/* progress.h - the progress thread of the transport am, one in each process.  It serves where the process is a server, and advances what
 * the program left pending.  It never waits for the global lock. */
#ifndef ARMCII_AM_PROGRESS_H
#define ARMCII_AM_PROGRESS_H

void armcii_am_progress_start(void);
void armcii_am_progress_end(void);

#endif
