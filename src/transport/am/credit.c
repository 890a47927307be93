/* credit.c - the server's memory for its clients. */
#include "transport/am/credit.h"

#include <stdlib.h>

#include "base/lock.h"
#include "base/log.h"
#include "transport/am/proto.h"

struct account {
    size_t replying;    /* bytes taken for replies in flight */
    size_t expired;     /* of these, back in the shared pool */
    size_t granted;     /* bytes granted for the client's next request */
    bool grant_expired; /* the grant is back in the pool */
    long granted_at;    /* credit.now */
    struct account *next_granted;
};

enum { MAX_GRANTED = 1 << 20, LEAST_REPLYING = AM_REPLY_OVERHEAD + 64 };

static struct {
    struct account *of;      /* [clients] */
    size_t least_replying;   /* the reserved credit of each client, in bytes */
    size_t shared;           /* bytes in use of AM_REPLY_CREDIT */
    struct account *granted; /* list of clients with a grant */
    size_t granted_bytes;    /* bytes in use of MAX_GRANTED */
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

static size_t share_of(const struct account *a)
{
    const size_t counted = a->replying - a->expired;
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
    const struct account *a = &credit.of[client];
    if (a->replying == 0) return credit.shared == 0 || credit.shared + cost <= AM_REPLY_CREDIT;
    size_t others = credit.shared - share_of(a);
    return others <= AM_REPLY_CREDIT && a->replying + cost <= (AM_REPLY_CREDIT - others) / 2;
}

static void add(struct account *a, ptrdiff_t all, ptrdiff_t expired)
{
    credit.shared -= share_of(a);
    a->replying += (size_t)all;
    a->expired += (size_t)expired;
    credit.shared += share_of(a);
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
    struct account *a = &credit.of[client];
    credit.granted_bytes += bytes;
    a->granted = bytes;
    a->grant_expired = false;
    a->granted_at = credit.now;
    a->next_granted = credit.granted;
    credit.granted = a;
}

static void expire_grant(struct account *a)
{
    if (!a->grant_expired) credit.granted_bytes -= a->granted;
    a->grant_expired = true;
    credit.freed = true;
}

void armcii_credit_end_grant(int client)
{
    struct account *a = &credit.of[client], **link = &credit.granted;
    while (*link != a)
        link = &(*link)->next_granted;
    *link = a->next_granted;
    expire_grant(a);
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
    for (struct account *a = credit.granted; a; a = a->next_granted) /* it may be stopped */
        if (!a->grant_expired && credit.now - a->granted_at >= AM_CREDIT_US) expire_grant(a);
    return true;
}

bool armcii_credit_was_freed(void)
{
    bool freed = credit.freed;
    credit.freed = false;
    return freed;
}
