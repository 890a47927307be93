/* test_credit.c - what a server grants for messages longer than the window, with the windows of
 * 9,600 clients: how often active clients must ask, and that the memory has a bound. */
#include "base/config.h"
#include "mpi/quirks.h"
#include "transport/am/credit.h"
#include "unit.h"

enum { CLIENTS = 9600, TICK = 5000, BOUND = 2 << 20 };

/* ---- the server's clock, microseconds ---- */

static long the_clock = 1000000;

long __wrap_armcii_clock(void);
long __wrap_armcii_clock(void)
{
    return the_clock;
}

/* Of a server that runs. */
static void run_for(long us)
{
    for (; us > 0; us -= TICK) {
        the_clock += TICK;
        armcii_credit_tick();
    }
}

/* ---- clients ---- */

static struct {
    struct am_grant credit; /* what is left of it */
    long void_at;           /* the_clock */
    int sent, requests;
} client[CLIENTS];

/* Bytes of the windows of the first n clients. */
static size_t usable(int n)
{
    size_t bytes = 0;
    for (int k = 0; k < n; k++)
        if (client[k].credit.messages > 0 && the_clock < client[k].void_at)
            bytes += client[k].credit.window * armcii_am_limits->message_max;
    return bytes;
}

static void start(void)
{
    armcii_config_read((char *[]){NULL}, NULL);
    armcii_quirks_decide("", true, false);
    armcii_am_share_among(CLIENTS);
    ck_assert(armcii_am_limits->window < 2 * armcii_am_limits->message_max);
    armcii_credits_start(CLIENTS);
    armcii_credit_tick();
    run_for(10 * AM_LEASE_US);
}

static void stop(void)
{
    armcii_credits_end();
}

/* As the server does; true: granted. */
static bool request(int k)
{
    armcii_credit_end(k);
    armcii_credit_tick();
    client[k].credit = armcii_credit_offer(k);
    if (client[k].credit.messages == 0) return false;
    armcii_credit_grant(k, client[k].credit);
    client[k].requests++;
    client[k].void_at = the_clock + AM_LEASE_US / 2;
    return true;
}

/* A message is sent and served. */
static void send(int k)
{
    client[k].credit.messages--;
    client[k].sent++;
    armcii_credit_count_message(k);
    armcii_credit_end_used(k);
}

static bool has_credit(int k)
{
    return client[k].credit.messages > 0 && the_clock < client[k].void_at;
}

/* Each of n clients sends its next message, as soon as it has credit: a round of the server, which
 * takes 5 us for each of them. */
static void send_each(int n)
{
    for (int k = 0; k < n; k++) {
        if (has_credit(k) || request(k)) send(k);
        the_clock += 5;
    }
    ck_assert_uint_le(usable(n), BOUND);
}

/* Then n clients have none, and count from 0. */
static void end_all(int n)
{
    for (int k = 0; k < n; k++) {
        armcii_credit_end(k);
        client[k].credit.messages = 0;
        client[k].sent = client[k].requests = 0;
    }
}

/* Of each of n clients with so many messages. */
static void check_counts(int n, int messages, int requests)
{
    for (int k = 0; k < n; k++) {
        ck_assert_int_eq(client[k].sent, messages);
        ck_assert_int_le(client[k].requests, requests);
    }
}

/* ---- tests ---- */

TEST(an_active_client_asks_once_a_lease)
{
    for (int i = 0; i < 10 * AM_LEASE_MESSAGES; i++)
        send_each(1);
    check_counts(1, 10 * AM_LEASE_MESSAGES, 10);
}

static const int actives[] = {2, 31, 32, 60, 100};

/* Leases of clients that began together end together. */
TABLE_TEST(so_do_100_active_clients, actives)
{
    const int n = actives[_i];
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 10 * AM_LEASE_MESSAGES; i++)
            send_each(n);
        check_counts(n, 10 * AM_LEASE_MESSAGES, 12);
        end_all(n);
    }
}

/* More than there is memory for at a time: leases leave room for the others' messages. */
TEST(a_thousand_active_clients_all_send)
{
    enum { N = 1000, ROUNDS = 100 };
    for (int i = 0; i < ROUNDS; i++)
        send_each(N);
    check_counts(N, ROUNDS, ROUNDS);
}

/* Until no more is granted; how many have credit. */
static int fill(int from)
{
    int k = from;
    while (request(k))
        k++;
    return k - from;
}

TEST(memory_has_a_bound)
{
    const int n = fill(0);
    ck_assert_uint_le(usable(n), BOUND);
    ck_assert_uint_gt(usable(n) + armcii_am_limits->message_max, BOUND);
    ck_assert_int_gt(n, 60);
}

/* Nobody keeps memory for messages to come while others wait for some. */
TEST(no_lease_is_granted_while_clients_wait)
{
    const int n = fill(0);
    end_all(n);
    for (int k = 0; k < n; k++) {
        ck_assert(request(k));
        ck_assert_int_eq(client[k].credit.messages, 1);
        armcii_credit_end(k);
    }
    run_for(10 * TICK);
    ck_assert(request(0));
    ck_assert_int_eq(client[0].credit.messages, AM_LEASE_MESSAGES);
}

/* Clients that compute, or are stopped. */
TEST(credit_that_is_not_used_expires)
{
    const int n = fill(0);
    run_for(AM_LEASE_US / 2);
    ck_assert(!request(n));
    run_for(AM_LEASE_US / 2 + 2 * TICK);
    ck_assert_int_eq(fill(n), n);
}

/* Nobody has used the time. */
TEST(credit_does_not_expire_while_the_server_is_stopped)
{
    const int n = fill(0);
    the_clock += 100 * AM_LEASE_US;
    ck_assert(!request(n));
}

/* An expired lease is used all the same, and asked for again. */
TEST(a_late_client_takes_nothing_twice)
{
    const int n = fill(0);
    run_for(AM_LEASE_US + 2 * TICK);
    for (int k = 0; k < n; k++) {
        send(k);
        ck_assert(request(k));
    }
    end_all(n);
    run_for(10 * TICK);
    ck_assert_int_eq(fill(n), n);
}

/* Of clients that send a message now and then there may be any number: each has credit for one at a
 * time, beside the leases of those that send more. */
TEST(rare_messages_take_no_lease_from_others)
{
    enum { RARE = 60 };
    int k = 0;
    do {
        ck_assert(request(k));
    } while (client[k++].credit.messages > 1);
    for (k = CLIENTS - RARE; k < CLIENTS; k++) {
        ck_assert(request(k));
        ck_assert_int_eq(client[k].credit.messages, 1);
    }
}

const struct unit unit = {.begin = start, .end = stop};
