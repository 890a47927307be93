/* room.h - memory that a server gives to its clients: for replies to their gets, and for messages
 * longer than their window. Called by the thread that serves. */
#ifndef ARMCII_ROOM_H
#define ARMCII_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* AM_MAX_REPLYING: so that one client may have three fragments of an accumulate under way: one is
 * added, one arrives, one is asked for. AM_REPLY_COST: beside the data of a reply, what Open MPI
 * keeps (measured). AM_LATE: so many microseconds of the server's after it began, what a client has
 * counts no more for others. */
enum { AM_MAX_REPLYING = 3 << 19, AM_REPLY_COST = 4 << 10, AM_LATE = 1000000 };

void armcii_room_start(int clients);
void armcii_room_end(void);

/* ---- replies ---- */

/* True if a reply that takes so much may be sent to the client whatever others have. A little, so
 * that short gets do not wait for other clients. */
bool armcii_room_has_own(int client, size_t cost);
/* True if it may be sent if no client waits before this one. Each may have half of what the others
 * leave, so all have some; and a long one if nothing else is sent. */
bool armcii_room_can_reply(int client, size_t cost);
/* True if replies to the client are pending. */
bool armcii_room_has_replies(int client);
/* A reply is under way; it is late; it is complete. */
void armcii_room_take(int client, size_t cost);
void armcii_room_discount(int client, size_t cost);
void armcii_room_give(int client, size_t cost, bool is_late);

/* ---- room for a long message ---- */

bool armcii_room_can_grant(size_t bytes);
void armcii_room_grant(int client, size_t bytes);
/* The message, for which room was granted, is served. */
void armcii_room_end_grant(int client);

/* ---- what is late ---- */

/* Microseconds that the server has run, counted while clients wait. */
long armcii_room_now(void);
/* To be called often while clients wait; true now and then: grants that are late count no more for
 * others, and replies should not. */
bool armcii_room_tick(void);

/* True if what was refused since the last call may be granted now. */
bool armcii_room_was_freed(void);

#endif
