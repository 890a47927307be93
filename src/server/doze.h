/* doze.h - sleeping until a message may have come.  MPI has no call that waits without a processor.  But where its messages come over
 * sockets of this process, the system can tell when something comes: then sleep may be long, and ends at once.  Whether it is so is seen
 * from the messages that were found.  For one thread; any other may wake it. */
#ifndef ARMCII_DOZE_H
#define ARMCII_DOZE_H

#include <stdbool.h>

void armcii_doze_start(void);
void armcii_doze_end(void);

/* Sleep for so many microseconds, or until somebody wakes, or something comes on a socket: true in this case. */
bool armcii_doze(long microseconds);
/* The same, whatever comes: false. */
bool armcii_doze_soundly(long microseconds);
/* End the sleep, or the next one. */
void armcii_doze_wake(void);

/* A message was found when the sleep was over, heard or not. */
void armcii_doze_found(bool heard);
/* Listen for what comes to be read from this descriptor, as well. */
void armcii_doze_listen_to(int descriptor);
/* Listen to connections that are new, too: for who finds no messages, but only lets them be found. */
void armcii_doze_listen(void);
/* So far, was what came heard?  Then sleep may be longer than a message may wait. */
bool armcii_doze_is_light(void);
/* What has come so far is known, and need not end the next sleep; true when something has. */
bool armcii_doze_forget(void);

#endif
