/* test_event.c - sleep that ends when something comes over a connection, and where a thread sits. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../lib/clock.h"
#include "progress/event.h"
#include "progress/affinity.h"
#include "unit.h"

/* Microseconds: a sleep that nobody waits for the end of, and one that may pass. */
enum { LONG = 20000000, SHORT = 2000, AT_ONCE = 5000000 };

/* Two ends of a connection of this machine with itself. */
static void connect_ends(int end[2])
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof a;
    int door = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_eq(bind(door, (struct sockaddr *)&a, size), 0);
    ck_assert_int_eq(listen(door, 1), 0);
    ck_assert_int_eq(getsockname(door, (struct sockaddr *)&a, &size), 0);
    end[0] = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_eq(connect(end[0], (struct sockaddr *)&a, sizeof a), 0);
    end[1] = accept(door, NULL, NULL);
    ck_assert_int_ge(end[1], 0);
    close(door);
}

static void disconnect(int end[2])
{
    close(end[0]);
    close(end[1]);
}

START_TEST(sleep_ends_when_something_comes)
{
    int end[2];
    connect_ends(end);
    armcii_event_start();
    armcii_event_drain();
    ck_assert_int_eq(write(end[0], "x", 1), 1);
    double begun = now();
    ck_assert_msg(armcii_event_wait(LONG), "doze with something to read: expected true, seen false");
    ck_assert_double_lt((now() - begun) * 1e6, AT_ONCE);
    armcii_event_end();
    disconnect(end);
}
END_TEST

START_TEST(what_nobody_reads_ends_one_sleep_only)
{
    int end[2];
    connect_ends(end);
    armcii_event_start();
    armcii_event_drain();
    ck_assert_int_eq(write(end[0], "x", 1), 1);
    ck_assert(armcii_event_wait(LONG));
    double begun = now();
    ck_assert_msg(!armcii_event_wait(SHORT), "doze after that was told: expected false, seen true");
    ck_assert_double_ge((now() - begun) * 1e6, SHORT);
    armcii_event_end();
    disconnect(end);
}
END_TEST

START_TEST(sound_sleep_hears_nothing)
{
    int end[2];
    connect_ends(end);
    armcii_event_start();
    ck_assert_int_eq(write(end[0], "x", 1), 1);
    double begun = now();
    armcii_event_wait_ignoring_fds(SHORT);
    ck_assert_double_ge((now() - begun) * 1e6, SHORT);
    armcii_event_end();
    disconnect(end);
}
END_TEST

START_TEST(who_is_woken_before_the_sleep_does_not_sleep)
{
    armcii_event_start();
    armcii_event_wakeup();
    double begun = now();
    armcii_event_wait_ignoring_fds(LONG);
    ck_assert_double_lt((now() - begun) * 1e6, AT_ONCE);
    begun = now();
    armcii_event_wait_ignoring_fds(SHORT);
    ck_assert_double_ge((now() - begun) * 1e6, SHORT);
    armcii_event_end();
}
END_TEST

START_TEST(sleep_is_not_trusted_where_there_is_no_connection)
{
    armcii_event_start();
    ck_assert(!armcii_event_is_reliable());
    armcii_event_end();
}
END_TEST

START_TEST(a_message_that_was_missed_takes_trust_away_and_some_that_were_heard_give_it_back)
{
    int end[2], heard = 0;
    connect_ends(end);
    armcii_event_start();
    ck_assert(armcii_event_is_reliable());
    armcii_event_drain();
    armcii_event_account(false);
    ck_assert_msg(!armcii_event_is_reliable(), "after a miss: expected no trust");
    while (!armcii_event_is_reliable() && heard < 100) {
        armcii_event_account(true);
        heard++;
    }
    ck_assert_int_gt(heard, 1);
    ck_assert_int_lt(heard, 10);
    armcii_event_end();
    disconnect(end);
}
END_TEST

START_TEST(a_connection_made_later_is_heard_after_a_miss)
{
    int end[2];
    armcii_event_start();
    connect_ends(end);
    armcii_event_account(false);
    armcii_event_drain();
    ck_assert_int_eq(write(end[0], "x", 1), 1);
    ck_assert_msg(armcii_event_wait(SHORT), "doze on the new connection: expected true, seen false");
    armcii_event_end();
    disconnect(end);
}
END_TEST

/* ---- seat ---- */

static cpu_set_t one_processor(int processor)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)processor, &set);
    return set;
}

static void *sit(void *processor)
{
    cpu_set_t before, after, there = one_processor(*(int *)processor);
    sched_getaffinity(0, sizeof before, &before);
    armcii_affinity_bind();
    sched_getaffinity(0, sizeof after, &after);
    ck_assert_msg(CPU_EQUAL(&after, &there), "kept: expected processor %d alone", *(int *)processor);
    ck_assert_int_eq(sched_getcpu(), *(int *)processor);
    armcii_affinity_unbind();
    sched_getaffinity(0, sizeof after, &after);
    ck_assert_msg(CPU_EQUAL(&after, &before), "left: expected all processors of before");
    armcii_affinity_migrate();
    sched_getaffinity(0, sizeof after, &after);
    ck_assert_msg(CPU_EQUAL(&after, &before), "changed: expected all processors of before");
    return NULL;
}

/* On each processor that this one may use. */
START_TEST(a_thread_goes_to_the_processor_of_the_one_it_stays_with)
{
    cpu_set_t all;
    ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
    armcii_affinity_init();
    for (int p = 0; p < CPU_SETSIZE; p++) {
        pthread_t thread;
        pthread_attr_t free_to_go;
        cpu_set_t here = one_processor(p);
        if (!CPU_ISSET((size_t)p, &all)) continue;
        ck_assert_int_eq(sched_setaffinity(0, sizeof here, &here), 0);
        pthread_attr_init(&free_to_go);
        pthread_attr_setaffinity_np(&free_to_go, sizeof all, &all);
        ck_assert_int_eq(pthread_create(&thread, &free_to_go, sit, &p), 0);
        pthread_join(thread, NULL);
        pthread_attr_destroy(&free_to_go);
    }
    sched_setaffinity(0, sizeof all, &all);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {sleep_ends_when_something_comes,
                                  what_nobody_reads_ends_one_sleep_only,
                                  sound_sleep_hears_nothing,
                                  who_is_woken_before_the_sleep_does_not_sleep,
                                  sleep_is_not_trusted_where_there_is_no_connection,
                                  a_message_that_was_missed_takes_trust_away_and_some_that_were_heard_give_it_back,
                                  a_connection_made_later_is_heard_after_a_miss,
                                  a_thread_goes_to_the_processor_of_the_one_it_stays_with,
                                  NULL};
    return unit_run("doze", unit_case(tests));
}
