/* thread.h - the library's own thread in a process of a job on several hosts: where the process is an agent it serves, everywhere it lets
 * what the program left under way go on.  It never waits for the library's lock. */
#ifndef ARMCII_THREAD_H
#define ARMCII_THREAD_H

void armcii_thread_start(void);
void armcii_thread_end(void);

/* The program goes on with transfers under way: the thread need not sleep any longer, unless it hears what comes. */
void armcii_thread_wake(void);
/* It has something else to do from now on. */
void armcii_thread_call(void);

#endif
