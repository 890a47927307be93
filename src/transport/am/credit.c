/* credit.c - the server's memory for its clients. */
#include "transport/am/credit.h"

#include <stdlib.h>

#include "base/lock.h"
#include "base/log.h"
#include "transport/am/proto.h"

struct client_credit {
    size_t replying;    /* bytes taken for replies in flight */
    size_t expired;     /* of these, back in the shared pool */
    size_t granted;     /* bytes granted for the client's next request */
    bool grant_expired; /* the grant is back in the pool */
    long granted_at;    /* credit.now */
    struct client_credit *next_granted;
};

enum { MAX_GRANTED = 1 << 20, LEAST_REPLYING = AM_REPLY_OVERHEAD + 64 };

static struct {
    struct client_credit *of;      /* [clients] */
    size_t least_replying;         /* the reserved credit of each client, in bytes */
    size_t shared;                 /* bytes in use of AM_REPLY_CREDIT */
    struct client_credit *granted; /* list of clients with a grant */
    size_t granted_bytes;          /* bytes in use of MAX_GRANTED */
    bool freed;
    long ticked; /* armcii_clock of the last tick */
    long now;    /* microseconds of armcii_clock while the server ran; a server that was stopped
                    finds no credit expired */
} credit;

void armcii_credit_start(int clients)
{
    credit.of = armcii_alloc((size_t)clients, sizeof *credit.of, "the memory of clients");
    credit.least_replying = armcii_am_least() < LEAST_REPLYING ? armcii_am_least() : LEAST_REPLYING;
}

void armcii_credit_end(void)
{
    free(credit.of);
    credit.of = NULL;
    credit.granted = NULL;
    credit.granted_bytes = 0;
}

/* ---- replies ---- */

static size_t shared_part(const struct client_credit *c)
{
    const size_t counted = c->replying - c->expired;
    return counted > credit.least_replying ? counted - credit.least_replying : 0;
}

bool armcii_credit_is_used(int client)
{
    return credit.of[client].replying > 0;
}

bool armcii_credit_is_reserved(int client, size_t cost)
{
    return credit.of[client].replying + cost <= credit.least_replying;
}

bool armcii_credit_suffices(int client, size_t cost)
{
    const struct client_credit *c = &credit.of[client];
    if (c->replying == 0) return credit.shared == 0 || credit.shared + cost <= AM_REPLY_CREDIT;
    size_t others = credit.shared - shared_part(c);
    return others <= AM_REPLY_CREDIT && c->replying + cost <= (AM_REPLY_CREDIT - others) / 2;
}

static void add(struct client_credit *c, ptrdiff_t all, ptrdiff_t expired)
{
    credit.shared -= shared_part(c);
    c->replying += (size_t)all;
    c->expired += (size_t)expired;
    credit.shared += shared_part(c);
}

void armcii_credit_take(int client, size_t cost)
{
    add(&credit.of[client], (ptrdiff_t)cost, 0);
}

void armcii_credit_expire(int client, size_t cost)
{
    add(&credit.of[client], 0, (ptrdiff_t)cost);
    credit.freed = true;
}

void armcii_credit_return(int client, size_t cost, bool expired)
{
    add(&credit.of[client], -(ptrdiff_t)cost, expired ? -(ptrdiff_t)cost : 0);
    credit.freed = true;
}

/* ---- requests longer than the window ---- */

bool armcii_credit_can_grant(size_t bytes)
{
    return credit.granted_bytes == 0 || credit.granted_bytes + bytes <= MAX_GRANTED;
}

void armcii_credit_grant(int client, size_t bytes)
{
    struct client_credit *c = &credit.of[client];
    credit.granted_bytes += bytes;
    c->granted = bytes;
    c->grant_expired = false;
    c->granted_at = credit.now;
    c->next_granted = credit.granted;
    credit.granted = c;
}

static void expire_grant(struct client_credit *c)
{
    if (!c->grant_expired) credit.granted_bytes -= c->granted;
    c->grant_expired = true;
    credit.freed = true;
}

void armcii_credit_end_grant(int client)
{
    struct client_credit *c = &credit.of[client], **link = &credit.granted;
    while (*link != c)
        link = &(*link)->next_granted;
    *link = c->next_granted;
    expire_grant(c);
}

/* ---- expiry ---- */

long armcii_credit_now(void)
{
    return credit.now;
}

bool armcii_credit_tick(void)
{
    enum { INTERVAL = 50000 };
    const long clock = armcii_clock(), passed = clock - credit.ticked;
    if (passed < INTERVAL) return false;
    credit.ticked = clock;
    credit.now += passed < 2 * INTERVAL ? passed : INTERVAL;
    for (struct client_credit *c = credit.granted; c; c = c->next_granted) /* it may be stopped */
        if (!c->grant_expired && credit.now - c->granted_at >= AM_CREDIT_US) expire_grant(c);
    return true;
}

bool armcii_credit_was_freed(void)
{
    bool freed = credit.freed;
    credit.freed = false;
    return freed;
}
