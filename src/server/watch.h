/* watch.h - the thread of the transport server, one in each process: where the process is an agent it serves, everywhere it lets what the
 * program left under way go on.  It never waits for the library's lock. */
#ifndef ARMCII_WATCH_H
#define ARMCII_WATCH_H

void armcii_watch_start(void);
void armcii_watch_end(void);

#endif
