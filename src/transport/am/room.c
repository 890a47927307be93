/* room.c - memory that a server gives to its clients. */
#include "transport/am/room.h"

#include <stdlib.h>

#include "base/lock.h"
#include "base/log.h"
#include "transport/am/proto.h"

struct account {
    size_t replying;    /* memory of the pending replies to its gets */
    size_t late;        /* of these, of replies that count no more for others */
    size_t granted;     /* room for its next message */
    bool grant_is_late; /* it counts no more for others */
    long granted_at;
    struct account *next_granted;
};

enum { MAX_GRANTED = 1 << 20, LEAST_REPLYING = AM_REPLY_COST + 64 };

static struct {
    struct account *of;      /* [clients] */
    size_t least_replying;   /* each client may take so much */
    size_t shared;           /* of AM_MAX_REPLYING, in use */
    struct account *granted; /* clients with room for a message longer than their window */
    size_t granted_bytes;    /* of MAX_GRANTED, in use */
    bool freed;
    long ticked; /* armcii_room_tick: armcii_clock */
    long now;    /* microseconds of that while the server ran: what piles up while it does not is
                    not late */
} room;

void armcii_room_start(int clients)
{
    room.of = armcii_alloc((size_t)clients, sizeof *room.of, "the memory of clients");
    room.least_replying = armcii_am_least() < LEAST_REPLYING ? armcii_am_least() : LEAST_REPLYING;
}

void armcii_room_end(void)
{
    free(room.of);
    room.of = NULL;
    room.granted = NULL;
    room.granted_bytes = 0;
}

/* ---- replies ---- */

static size_t share_of(const struct account *a)
{
    const size_t counted = a->replying - a->late;
    return counted > room.least_replying ? counted - room.least_replying : 0;
}

bool armcii_room_has_replies(int client)
{
    return room.of[client].replying > 0;
}

bool armcii_room_has_own(int client, size_t cost)
{
    return room.of[client].replying + cost <= room.least_replying;
}

bool armcii_room_can_reply(int client, size_t cost)
{
    const struct account *a = &room.of[client];
    if (a->replying == 0) return room.shared == 0 || room.shared + cost <= AM_MAX_REPLYING;
    size_t others = room.shared - share_of(a);
    return others <= AM_MAX_REPLYING && a->replying + cost <= (AM_MAX_REPLYING - others) / 2;
}

static void add(struct account *a, ptrdiff_t all, ptrdiff_t late)
{
    room.shared -= share_of(a);
    a->replying += (size_t)all;
    a->late += (size_t)late;
    room.shared += share_of(a);
}

void armcii_room_take(int client, size_t cost)
{
    add(&room.of[client], (ptrdiff_t)cost, 0);
}

void armcii_room_discount(int client, size_t cost)
{
    add(&room.of[client], 0, (ptrdiff_t)cost);
    room.freed = true;
}

void armcii_room_give(int client, size_t cost, bool is_late)
{
    add(&room.of[client], -(ptrdiff_t)cost, is_late ? -(ptrdiff_t)cost : 0);
    room.freed = true;
}

/* ---- room for a long message ---- */

bool armcii_room_can_grant(size_t bytes)
{
    return room.granted_bytes == 0 || room.granted_bytes + bytes <= MAX_GRANTED;
}

void armcii_room_grant(int client, size_t bytes)
{
    struct account *a = &room.of[client];
    room.granted_bytes += bytes;
    a->granted = bytes;
    a->grant_is_late = false;
    a->granted_at = room.now;
    a->next_granted = room.granted;
    room.granted = a;
}

static void discount_grant(struct account *a)
{
    if (!a->grant_is_late) room.granted_bytes -= a->granted;
    a->grant_is_late = true;
    room.freed = true;
}

void armcii_room_end_grant(int client)
{
    struct account *a = &room.of[client], **link = &room.granted;
    while (*link != a)
        link = &(*link)->next_granted;
    *link = a->next_granted;
    discount_grant(a);
}

/* ---- what is late ---- */

long armcii_room_now(void)
{
    return room.now;
}

bool armcii_room_tick(void)
{
    enum { INTERVAL = 50000 };
    const long clock = armcii_clock(), passed = clock - room.ticked;
    if (passed < INTERVAL) return false;
    room.ticked = clock;
    room.now += passed < 2 * INTERVAL ? passed : INTERVAL;
    for (struct account *a = room.granted; a; a = a->next_granted) /* it may be stopped */
        if (!a->grant_is_late && room.now - a->granted_at >= AM_LATE) discount_grant(a);
    return true;
}

bool armcii_room_was_freed(void)
{
    bool freed = room.freed;
    room.freed = false;
    return freed;
}
