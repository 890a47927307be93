/* credit.c - the server's memory for its clients. */
#include "transport/am/credit.h"

#include <stdlib.h>

#include "base/lock.h"
#include "base/log.h"
struct client_credit {
    size_t replying;    /* bytes taken for replies in flight */
    size_t expired;     /* of these, back in the shared pool */
    size_t granted;     /* bytes of the window granted for messages; 0: none */
    unsigned left;      /* messages that the client may send in it, or has sent, not yet here */
    bool grant_expired; /* the grant is back in the pool */
    long granted_at;    /* credit.now; without a grant: when the last one ended */
    struct client_credit *next_granted;
};

/* Bytes of all grants; beyond the others a grant is no lease, or its window is one message. What
 * leases may not take is for clients that seldom ask. */
enum { MAX_GRANTED = 2 << 20, MAX_LEASED = 7 << 18, MAX_WIDE = 1 << 18 };
enum { LEAST_REPLYING = AM_REPLY_OVERHEAD + 64, INTERVAL = 10000 };

static struct {
    struct client_credit *of;      /* [clients] */
    size_t least_replying;         /* the reserved credit of each client, in bytes */
    size_t shared;                 /* bytes in use of AM_REPLY_CREDIT */
    struct client_credit *granted; /* list of clients with a grant */
    size_t granted_bytes;          /* bytes in use of MAX_GRANTED */
    bool freed;
    long refused_at; /* credit.now, when a client had to wait for memory for its message */
    long crowded_at; /* credit.now, when grants took more than MAX_WIDE; many may end together */
    long ticked;     /* armcii_clock of the last tick */
    long now;        /* microseconds of armcii_clock while the server ran; a server that was stopped
                        finds no credit expired */
} credit;

void armcii_credits_start(int clients)
{
    credit.of = armcii_alloc((size_t)clients, sizeof *credit.of, "the memory of clients");
    credit.refused_at = credit.crowded_at = credit.now - 3L * INTERVAL;
    credit.least_replying =
        armcii_am_limits->window < LEAST_REPLYING ? armcii_am_limits->window : LEAST_REPLYING;
}

void armcii_credits_end(void)
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
    return others <= AM_REPLY_CREDIT && c->replying + cost <= (AM_REPLY_CREDIT - others) / 4 * 3;
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

/* ---- messages longer than the window ---- */

static bool fits(unsigned window, size_t most)
{
    return credit.granted_bytes + window * armcii_am_limits->message_max <= most;
}

static bool is_recent(long when)
{
    return credit.now - when <= 2L * INTERVAL;
}

/* Where memory lacks, and for clients that send one message now and then, leases would keep it from
 * others in vain. */
struct am_grant armcii_credit_offer(int client)
{
    if (!fits(1, MAX_GRANTED)) {
        credit.refused_at = credit.now;
        return (struct am_grant){0, 0};
    }
    if (is_recent(credit.refused_at)) return (struct am_grant){1, 1};
    if (!is_recent(credit.crowded_at) && fits(AM_LEASE_WINDOW, MAX_WIDE))
        return (struct am_grant){AM_LEASE_MESSAGES, AM_LEASE_WINDOW};
    if (fits(1, MAX_LEASED) && is_recent(credit.of[client].granted_at))
        return (struct am_grant){AM_LEASE_MESSAGES, 1};
    return (struct am_grant){1, 1};
}

void armcii_credit_grant(int client, struct am_grant grant)
{
    struct client_credit *c = &credit.of[client];
    c->granted = grant.window * armcii_am_limits->message_max;
    c->left = grant.messages;
    credit.granted_bytes += c->granted;
    if (credit.granted_bytes > MAX_WIDE) credit.crowded_at = credit.now;
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

void armcii_credit_count_message(int client)
{
    if (credit.of[client].left > 0) credit.of[client].left--;
}

void armcii_credit_end(int client)
{
    struct client_credit *c = &credit.of[client], **link = &credit.granted;
    if (c->granted == 0) return;
    while (*link != c)
        link = &(*link)->next_granted;
    *link = c->next_granted;
    expire_grant(c);
    c->granted = 0;
    c->left = 0;
    c->granted_at = credit.now;
}

void armcii_credit_end_used(int client)
{
    const struct client_credit *c = &credit.of[client];
    if (c->granted > 0 && c->left == 0) armcii_credit_end(client);
}

/* ---- expiry ---- */

long armcii_credit_now(void)
{
    return credit.now;
}

bool armcii_credit_tick(void)
{
    const long clock = armcii_clock(), passed = clock - credit.ticked;
    if (passed < INTERVAL) return false;
    credit.ticked = clock;
    credit.now += passed < 2 * INTERVAL ? passed : INTERVAL;
    for (struct client_credit *c = credit.granted; c; c = c->next_granted) /* it may be stopped */
        if (!c->grant_expired && credit.now - c->granted_at >= AM_LEASE_US) expire_grant(c);
    return true;
}

bool armcii_credit_was_freed(void)
{
    bool freed = credit.freed;
    credit.freed = false;
    return freed;
}
