/* progress.h - the thread of the transport server, one in each process: where the process is a server it serves, everywhere it lets what the
 * program left under way go on.  It never waits for the global lock. */
#ifndef ARMCII_AM_PROGRESS_H
#define ARMCII_AM_PROGRESS_H

void armcii_am_progress_start(void);
void armcii_am_progress_end(void);

#endif
