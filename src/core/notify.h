/* notify.h - point-to-point notification after one-sided operations. */
#ifndef ARMCII_NOTIFY_H
#define ARMCII_NOTIFY_H

void armcii_notify_start(void);
void armcii_notify_end(void);

/* Count one notification at the process, towards which everything is complete; returns how many went there so far, modulo 2^31. */
int armcii_notify_send(int process);
/* Wait for one more from the process; returns how many came, *waits how many were waited for, modulo 2^31. */
int armcii_notify_wait(int process, int *waits);

#endif
