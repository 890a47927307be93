/* room.h - memory that a server gives to its clients: for replies to their gets, and for messages
 * longer than their window.  Called by the thread that serves. */
#ifndef ARMCII_ROOM_H
#define ARMCII_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* AM_REPLY_COST: beside the data of a reply, what Open MPI keeps (measured).  AM_LATE: so many
 * microseconds after it began, what a client has counts no more for others. */
enum { AM_MAX_REPLYING = 1 << 20, AM_REPLY_COST = 4 << 10, AM_LATE = 1000000 };

void armcii_room_start(int clients);
void armcii_room_end(void);

/* ---- replies ---- */

/* May a reply that takes so much be sent to the client?  Each may have half of what the others
 * leave, so all have some; a little in any case, so that short gets do not wait for other clients;
 * and a long one if nothing else is sent. */
bool armcii_room_can_reply(int client, size_t cost);
/* A reply is under way; it is late; it is complete. */
void armcii_room_take(int client, size_t cost);
void armcii_room_discount(int client, size_t cost);
void armcii_room_give(int client, size_t cost, bool is_late);
/* Short gets of others would keep a long one waiting for ever: what they give back is kept for this
 * client, until a reply to it is under way.  False: it has one, or another client is favoured. */
bool armcii_room_favour(int client);

/* ---- room for a long message ---- */

/* False, with nothing done: there is none now. */
bool armcii_room_grant(int client, size_t bytes);
/* The message, for which room was granted, is served. */
void armcii_room_end_grant(int client);
void armcii_room_discount_grants(long now);

/* Is there neither memory for a reply nor for a message?  Only with many clients: otherwise each
 * has some. */
bool armcii_room_is_used_up(void);
/* Since the last call, may what was refused be granted now? */
bool armcii_room_was_freed(void);

#endif
