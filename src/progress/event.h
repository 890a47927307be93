/* event.h - a sleep that ends on wakeups, and on data on the sockets of this process.
 *
 * MPI has no call that waits without using a processor. Where its messages arrive over sockets of
 * this process, the kernel can end the sleep instead. A score of past events decides whether that
 * is so. One thread sleeps; any thread may wake it. */
#ifndef ARMCII_EVENT_H
#define ARMCII_EVENT_H

#include <stdbool.h>

/* False: there is no descriptor for wakeups. */
bool armcii_event_start(void);
void armcii_event_end(void);

/* Sleep until a wakeup, an event on a socket, or the timeout in microseconds. True if a socket had
 * an event. */
bool armcii_event_wait(long timeout);
/* Sleep until a wakeup or the timeout. False. */
bool armcii_event_wait_ignoring_fds(long timeout);
/* End the sleep, or the next one. */
void armcii_event_wakeup(void);
/* An eventfd that wakes this thread alone, too, and that is cleared then; -1: none. */
void armcii_event_set_doorbell(int fd);

/* Watch all internet sockets of this process that are not watched yet. */
void armcii_event_add_sockets(void);
/* Watch this descriptor for data to read, too. */
void armcii_event_add_fd(int fd);
/* Consume the events so far, so that they do not end the next sleep. True if there was one. */
bool armcii_event_drain(void);

/* A message was found after a sleep; signaled: an event preceded it. */
void armcii_event_account(bool signaled);
/* True while events precede messages: sleep may then be longer than a message may wait. */
bool armcii_event_is_reliable(void);

#endif
