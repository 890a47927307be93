/* thread.h - the progress thread in a process of a job on several nodes: its life and its sleep.  What it does is its turn's. */
#ifndef ARMCII_PROGRESS_THREAD_H
#define ARMCII_PROGRESS_THREAD_H

#include <stdbool.h>

/* As gdb, top -H and ps -T show it. */
#define THREAD_NAME "armci-progress"

/* It calls `each_turn` again and again, until armcii_progress_thread_end, which does nothing where there is no thread. */
void armcii_progress_thread_start(void (*each_turn)(void));
void armcii_progress_thread_end(void);

enum { POLL_INTERVAL_US = 50 }; /* microseconds that are slept anywhere; longer sleep is on the processor of the program's thread */

/* For a turn: sleep by armcii_event_wait or armcii_event_wait_ignoring_fds, and return what that does; not at all when the thread is to end or
 * `is_hindered` (may be NULL), which is asked when those who would wake it know that it sleeps. */
bool armcii_progress_thread_sleep(bool (*doze)(long microseconds), long microseconds, bool (*is_hindered)(void));

/* The program goes on with transfers under way: the thread need not sleep any longer, unless it hears what comes. */
void armcii_progress_thread_wake_if_asleep(void);
/* It has something else to do from now on. */
void armcii_progress_thread_wake(void);

#endif
