/* event.h - sleeping until a message may have come.  MPI has no call that waits without a processor.  But where its messages come over
 * sockets of this process, the system can tell when something comes: then sleep may be long, and ends at once.  Whether it is so is seen
 * from the messages that were found.  For one thread; any other may wake it. */
#ifndef ARMCII_EVENT_H
#define ARMCII_EVENT_H

#include <stdbool.h>

void armcii_event_start(void);
void armcii_event_end(void);

/* Sleep for so many microseconds, or until somebody wakes, or something comes on a socket: true in this case. */
bool armcii_event_wait(long microseconds);
/* The same, whatever comes: false. */
bool armcii_event_wait_ignoring_fds(long microseconds);
/* End the sleep, or the next one. */
void armcii_event_wakeup(void);

/* A message was found when the sleep was over, heard or not. */
void armcii_event_account(bool heard);
/* Listen for what comes to be read from this descriptor, as well. */
void armcii_event_add_fd(int descriptor);
/* Listen to connections that are new, too: for who finds no messages, but only lets them be found. */
void armcii_event_add_sockets(void);
/* So far, was what came heard?  Then sleep may be longer than a message may wait. */
bool armcii_event_is_reliable(void);
/* What has come so far is known, and need not end the next sleep; true when something has. */
bool armcii_event_drain(void);

#endif
