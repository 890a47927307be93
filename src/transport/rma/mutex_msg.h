/* mutex_msg.h - small messages between processes that wait for one another at a lock. */
#ifndef ARMCII_MUTEX_MSG_H
#define ARMCII_MUTEX_MSG_H

enum mutex_msg_kind { MUTEX_MSG_LINK = 1, MUTEX_MSG_GRANT = 2 };

/* Which lock a letter is about. */
struct mutex_msg_key {
    unsigned long set;
    int owner, mutex;
};

/* Send to a process (rank of the world). */
void armcii_mutex_msg_send(enum mutex_msg_kind kind, struct mutex_msg_key key, int to);
/* Wait for a letter of that kind and key; returns the sender.  Letters about other locks are kept for those who wait for them; other
 * threads may enter the library meanwhile. */
int armcii_mutex_msg_wait(enum mutex_msg_kind kind, struct mutex_msg_key key);

#endif
