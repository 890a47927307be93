/* lifeline.h - how the keeper of rank 0 hears that the process of another rank died, on its own node or on another:
 * that one's keeper connects and says so.  Where it cannot connect, rank 0 only sees the probe's time run out. */
#ifndef DOCTOR_LIFELINE_H
#define DOCTOR_LIFELINE_H

#include <stddef.h>

enum { LIFELINE_ROOM = 400 };

/* Listen; the descriptor, -1 where that is not possible. */
int lifeline_listen(void);
/* Where a listening descriptor is reached: "ADDRESS,ADDRESS PORT TOKEN".  The token keeps strangers out. */
void lifeline_address(int listening, char *text, size_t size);
/* Tell the one at that address; nothing happens when it cannot be reached within a second. */
void lifeline_tell(const char *address, const char *text);
/* Somebody has connected: what it says, "" when it is nothing that concerns us. */
void lifeline_hear(int listening, const char *address, char *text, size_t size);

#endif
