/* notify.h - point-to-point notification after one-sided operations. */
#ifndef ARMCII_NOTIFY_H
#define ARMCII_NOTIFY_H

void armcii_notify_start(void);
void armcii_notify_end(void);

/* Notify the process; requires that all operations to it are complete.  Returns the number of notifications sent to it, modulo 2^31. */
int armcii_notify_send(int process);
/* Wait for one more notification from the process; returns the number received, *waits the number of waits, modulo 2^31. */
int armcii_notify_wait(int process, int *waits);

#endif
