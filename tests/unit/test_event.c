/* test_event.c - sleep that ends on events. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/lock.h"
#include "progress/event.h"
#include "unit.h"

/* Microseconds: a sleep that must end early, a sleep that may time out, and the limit for an early
 * end. */
enum { LONG = 20000000, SHORT = 2000, EARLY = 5000000 };

/* The two ends of a TCP connection within this process. */
static int end[2];

static void connect_ends(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof a;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_eq(bind(listener, (struct sockaddr *)&a, size), 0);
    ck_assert_int_eq(listen(listener, 1), 0);
    ck_assert_int_eq(getsockname(listener, (struct sockaddr *)&a, &size), 0);
    end[0] = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_eq(connect(end[0], (struct sockaddr *)&a, sizeof a), 0);
    end[1] = accept(listener, NULL, NULL);
    ck_assert_int_ge(end[1], 0);
    close(listener);
}

static void start_with_connection(void)
{
    connect_ends();
    armcii_event_start();
}

static void stop(void)
{
    armcii_event_end();
    for (int i = 0; i < 2; end[i++] = 0)
        if (end[i]) close(end[i]);
}

TEST(data_on_a_socket_end_the_sleep)
{
    start_with_connection();
    armcii_event_drain();
    ck_assert_int_eq(write(end[0], "x", 1), 1);
    long begun = armcii_clock();
    ck_assert_msg(armcii_event_wait(LONG), "wait with data to read: expected true, seen false");
    ck_assert_int_lt(armcii_clock() - begun, EARLY);
}

TEST(unread_data_end_one_sleep_only)
{
    start_with_connection();
    armcii_event_drain();
    ck_assert_int_eq(write(end[0], "x", 1), 1);
    ck_assert(armcii_event_wait(LONG));
    long begun = armcii_clock();
    ck_assert_msg(!armcii_event_wait(SHORT),
                  "second wait with the same data: expected false, seen true");
    ck_assert_int_ge(armcii_clock() - begun, SHORT);
}

TEST(a_wait_that_ignores_sockets_times_out)
{
    start_with_connection();
    ck_assert_int_eq(write(end[0], "x", 1), 1);
    long begun = armcii_clock();
    armcii_event_wait_ignoring_fds(SHORT);
    ck_assert_int_ge(armcii_clock() - begun, SHORT);
}

TEST(a_wakeup_before_the_sleep_ends_it)
{
    armcii_event_start();
    armcii_event_wakeup();
    long begun = armcii_clock();
    armcii_event_wait_ignoring_fds(LONG);
    ck_assert_int_lt(armcii_clock() - begun, EARLY);
    begun = armcii_clock();
    armcii_event_wait_ignoring_fds(SHORT);
    ck_assert_int_ge(armcii_clock() - begun, SHORT);
}

/* A process that only sends finds no message itself, so it never sees a miss. */
TEST(events_are_unreliable_before_the_first_hit)
{
    start_with_connection();
    ck_assert(!armcii_event_is_reliable());
    armcii_event_account(true);
    ck_assert(armcii_event_is_reliable());
}

TEST(a_miss_makes_events_unreliable_and_several_hits_reliable_again)
{
    int hits = 0;
    start_with_connection();
    armcii_event_account(true);
    armcii_event_drain();
    armcii_event_account(false);
    ck_assert_msg(!armcii_event_is_reliable(), "after a miss: expected unreliable");
    while (!armcii_event_is_reliable() && hits < 100) {
        armcii_event_account(true);
        hits++;
    }
    ck_assert_int_gt(hits, 1);
    ck_assert_int_lt(hits, 10);
}

TEST(a_socket_made_later_is_watched_after_a_miss)
{
    armcii_event_start();
    connect_ends();
    armcii_event_account(false);
    armcii_event_drain();
    ck_assert_int_eq(write(end[0], "x", 1), 1);
    ck_assert_msg(armcii_event_wait(SHORT),
                  "wait with data on the new socket: expected true, seen false");
}

const struct unit unit = {.end = stop};
