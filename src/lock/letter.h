/* letter.h - small messages between processes that wait for one another at a lock. */
#ifndef ARMCII_LETTER_H
#define ARMCII_LETTER_H

enum letter_kind { LETTER_NEXT = 1, LETTER_GRANT = 2 };

/* Which lock a letter is about. */
struct letter_key {
    unsigned long set;
    int host, mutex;
};

/* Send to a process (rank of the world). */
void armcii_letter_send(enum letter_kind kind, struct letter_key key, int to);
/* Wait for a letter of that kind and key; returns the sender.  Letters about other locks are kept for those who wait for them; other
 * threads may enter the library meanwhile. */
int armcii_letter_wait(enum letter_kind kind, struct letter_key key);

#endif
