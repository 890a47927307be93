/* test_loop.c - the progress loop, with a policy of this test, and the affinity of its thread. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <unistd.h>

#include "base/lock.h"
#include "progress/affinity.h"
#include "progress/event.h"
#include "progress/loop.h"
#include "unit.h"

/* ---- a policy that counts its calls ---- */

static atomic_int polls, choices, sleeps;
static int work_at;                 /* the poll that finds work; 0: none does */
static enum progress_wait waits[2]; /* the answers of choose_wait: the first, all others */
static bool signaled;
static long chosen, ended; /* when: the last choice, the end of the last sleep */

static enum progress_work count_poll(void)
{
    return ++polls == work_at ? WORK_REMOTE : WORK_NONE;
}

static bool always_helped(void)
{
    return true;
}

static bool never_helped(void)
{
    return false;
}

static enum progress_wait count_choice(void)
{
    chosen = armcii_clock();
    return waits[choices++ > 0];
}

static bool count_sleep(void)
{
    sleeps++;
    return true;
}

static void note_end(bool any)
{
    signaled = any;
    ended = armcii_clock();
}

enum { POLLS = 3, TEST_IDLE_US = 3000 };
static const struct loop_policy usual = {
    .poll = count_poll,
    .polls = POLLS,
    .is_helped = never_helped,
    .choose_wait = count_choice,
    .idle_us = TEST_IDLE_US,
    .begin_sleep = count_sleep,
    .end_sleep = note_end,
    .events = EVENTS_ARE_WORK,
};

static void reset(enum progress_wait first, enum progress_wait others)
{
    polls = choices = sleeps = work_at = 0;
    waits[0] = first;
    waits[1] = others;
    signaled = false;
}

/* Start a loop that has found no work for SPIN_US. */
static void start_idle(const struct loop_policy *policy)
{
    armcii_progress_loop_start(policy);
    long until = armcii_clock() + SPIN_US;
    while (armcii_clock() < until)
        ;
}

/* ---- polls ---- */

TEST(a_step_polls_until_it_finds_work)
{
    reset(WAIT_PENDING, WAIT_PENDING);
    armcii_progress_loop_start(&usual);
    armcii_progress_loop_step();
    ck_assert_int_eq(polls, POLLS);
    work_at = POLLS + 2;
    armcii_progress_loop_step();
    ck_assert_int_eq(polls, POLLS + 2);
    armcii_progress_loop_end();
}

TEST(a_helped_loop_sleeps_and_does_not_poll)
{
    struct loop_policy helped = usual;
    helped.is_helped = always_helped;
    reset(WAIT_PENDING, WAIT_PENDING);
    armcii_progress_loop_start(&helped);
    long begun = armcii_clock();
    armcii_progress_loop_step();
    armcii_progress_loop_step();
    ck_assert_int_ge(armcii_clock() - begun, 2 * HELPED_US);
    ck_assert_int_eq(polls, 0);
    armcii_progress_loop_end();
}

TEST(the_loop_spins_after_work)
{
    reset(WAIT_PENDING, WAIT_PENDING);
    start_idle(&usual);
    work_at = 1;
    long begun = armcii_clock();
    while (choices == 0)
        armcii_progress_loop_step();
    ck_assert_int_ge(chosen - begun, SPIN_US);
    armcii_progress_loop_end();
}

/* ---- sleep ---- */

static const struct {
    enum progress_wait wait;
    long timeout, below;
} timeouts[] = {
    {WAIT_PENDING, PENDING_US, TEST_IDLE_US},   {WAIT_POLL, POLL_US, TEST_IDLE_US},
    {WAIT_SOME_EVENTS, TEST_IDLE_US, EVENT_US}, {WAIT_EVENTS, EVENT_US, WAKEUP_US},
    {WAIT_WAKEUP, WAKEUP_US, 20 * WAKEUP_US},
};

/* The step after SPIN_US sleeps for the timeout at least; the shortest of some such steps, for not
 * much more. */
TABLE_TEST(each_kind_of_wait_has_its_timeout, timeouts)
{
    enum { TRIES = 4 };
    long shortest = 20 * WAKEUP_US;
    reset(timeouts[_i].wait, timeouts[_i].wait);
    for (int i = 0; i < TRIES; i++) {
        start_idle(&usual);
        long begun = armcii_clock();
        armcii_progress_loop_step();
        long slept = armcii_clock() - begun;
        if (slept < shortest) shortest = slept;
        armcii_progress_loop_end();
    }
    ck_assert_int_ge(shortest, timeouts[_i].timeout);
    ck_assert_int_lt(shortest, timeouts[_i].below);
}

TEST(without_work_for_long_the_loop_polls_seldom)
{
    reset(WAIT_POLL, WAIT_POLL);
    start_idle(&usual);
    usleep(WARM_US);
    long begun = armcii_clock();
    armcii_progress_loop_step();
    ck_assert_int_ge(armcii_clock() - begun, TEST_IDLE_US);
    armcii_progress_loop_end();
}

/* After a silence of 100 x the longest sleep, and not before. */
TEST(the_sleep_grows_with_the_silence)
{
    struct loop_policy short_sleeps = usual;
    short_sleeps.idle_us = 1;
    long shortest = EVENT_US;
    reset(WAIT_POLL, WAIT_POLL);
    start_idle(&short_sleeps);
    usleep(WARM_US);
    for (int i = 0; i < 4; i++) {
        long begun = armcii_clock();
        armcii_progress_loop_step();
        long slept = armcii_clock() - begun;
        if (slept < shortest) shortest = slept;
    }
    ck_assert_int_ge(shortest, WARM_US / 100);
    ck_assert_int_lt(shortest, MOST_IDLE_US);
    usleep(100 * MOST_IDLE_US);
    long begun = armcii_clock();
    armcii_progress_loop_step();
    ck_assert_int_ge(armcii_clock() - begun, MOST_IDLE_US);
    armcii_progress_loop_end();
}

static const struct {
    enum progress_wait wait;
    long timeout;
} long_waits[] = {
    {WAIT_WAKEUP, WAKEUP_US}, {WAIT_EVENTS, EVENT_US}, {WAIT_SOME_EVENTS, TEST_IDLE_US}};

TABLE_TEST(work_that_appears_before_the_sleep_prevents_it, long_waits)
{
    enum { STEPS = 20 };
    reset(long_waits[_i].wait, WAIT_PENDING);
    start_idle(&usual);
    long begun = armcii_clock();
    for (int i = 0; i < STEPS; i++) {
        choices = 0;
        armcii_progress_loop_step();
        ck_assert_int_eq(choices, 2);
    }
    ck_assert_int_lt(armcii_clock() - begun, STEPS * long_waits[_i].timeout / 2);
    armcii_progress_loop_end();
}

TEST(a_wakeup_ends_the_sleep_of_the_thread)
{
    enum { TIMES = 20 };
    reset(WAIT_WAKEUP, WAIT_WAKEUP);
    armcii_progress_thread_start(&usual);
    usleep(10 * SPIN_US);
    long begun = armcii_clock();
    for (int i = 0; i < TIMES; i++) {
        int before = polls;
        while (polls == before) {
            armcii_progress_thread_wake_if_asleep();
            sched_yield();
        }
    }
    ck_assert_int_lt(armcii_clock() - begun, TIMES * WAKEUP_US / 2);
    armcii_progress_thread_end();
}

/* ---- what an event means ---- */

/* An internet socket of this process with data to read: a datagram to itself. */
static int socket_with_data(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof a;
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&a, size), 0);
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&a, &size), 0);
    ck_assert_int_eq(sendto(fd, "x", 1, 0, (struct sockaddr *)&a, size), 1);
    return fd;
}

/* Step until an event ends a sleep. */
static int start_with_event(const struct loop_policy *policy)
{
    int fd = -1;
    reset(WAIT_EVENTS, WAIT_EVENTS);
    start_idle(policy);
    if (policy->events == EVENTS_SHARED) armcii_progress_loop_step(); /* consumes earlier events */
    fd = socket_with_data();
    armcii_event_add_sockets();
    for (int i = 0; i < 3 && !signaled; i++)
        armcii_progress_loop_step();
    ck_assert_msg(signaled, "sleep with data to read: no event");
    return fd;
}

static void end_with_event(int fd)
{
    armcii_progress_loop_end();
    close(fd);
}

TEST(after_a_spurious_event_the_loop_ignores_events_for_a_while)
{
    struct loop_policy shared = usual;
    shared.events = EVENTS_SHARED;
    int fd = start_with_event(&shared), before = sleeps;
    long begun = armcii_clock();
    armcii_progress_loop_step();
    ck_assert_int_ge(armcii_clock() - begun, POLL_US);
    ck_assert_int_eq(sleeps, before);
    armcii_progress_loop_step();
    ck_assert_int_eq(sleeps, before + 1);
    end_with_event(fd);
}

TEST(the_loop_spins_after_an_event_that_is_work)
{
    struct loop_policy work = usual;
    work.events = EVENTS_ARE_WORK;
    int fd = start_with_event(&work), before = choices;
    long event = ended;
    while (choices == before)
        armcii_progress_loop_step();
    ck_assert_int_ge(chosen - event, SPIN_US);
    end_with_event(fd);
}

/* ---- affinity ---- */

static cpu_set_t one_processor(int processor)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)processor, &set);
    return set;
}

static void *bind_and_unbind(void *processor)
{
    cpu_set_t before, after, there = one_processor(*(int *)processor);
    sched_getaffinity(0, sizeof before, &before);
    armcii_affinity_bind();
    sched_getaffinity(0, sizeof after, &after);
    ck_assert_msg(CPU_EQUAL(&after, &there), "bound: expected processor %d alone",
                  *(int *)processor);
    ck_assert_int_eq(sched_getcpu(), *(int *)processor);
    armcii_affinity_unbind();
    sched_getaffinity(0, sizeof after, &after);
    ck_assert_msg(CPU_EQUAL(&after, &before), "unbound: expected the former processors");
    armcii_affinity_migrate();
    sched_getaffinity(0, sizeof after, &after);
    ck_assert_msg(CPU_EQUAL(&after, &before), "migrated: expected the former processors");
    return NULL;
}

/* On each processor that this process may use. */
TEST(the_thread_follows_the_program_to_its_processor)
{
    cpu_set_t all;
    ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
    armcii_affinity_init();
    for (int p = 0; p < CPU_SETSIZE; p++) {
        pthread_t thread;
        pthread_attr_t unbound;
        cpu_set_t here = one_processor(p);
        if (!CPU_ISSET((size_t)p, &all)) continue;
        ck_assert_int_eq(sched_setaffinity(0, sizeof here, &here), 0);
        pthread_attr_init(&unbound);
        pthread_attr_setaffinity_np(&unbound, sizeof all, &all);
        ck_assert_int_eq(pthread_create(&thread, &unbound, bind_and_unbind, &p), 0);
        pthread_join(thread, NULL);
        pthread_attr_destroy(&unbound);
    }
    sched_setaffinity(0, sizeof all, &all);
}

static void copy_mask(const cpu_set_t *set, uint64_t mask[])
{
    for (size_t p = 0; p < CPU_SETSIZE; p += 64)
        mask[p / 64] = 0;
    for (size_t p = 0; p < CPU_SETSIZE; p++)
        mask[p / 64] |= (uint64_t)(CPU_ISSET(p, set) != 0) << p % 64;
}

/* Start a thread that has nothing to do, where the job has the processors `of_job` and its
 * processes use those in `taken`. */
static void start_beside(const cpu_set_t *taken, const cpu_set_t *of_job)
{
    static uint64_t masks[2][CPU_SETSIZE / 64];
    copy_mask(taken, masks[0]);
    copy_mask(of_job, masks[1]);
    reset(WAIT_POLL, WAIT_POLL);
    armcii_affinity_avoid(masks[0], masks[1], CPU_SETSIZE / 64);
    armcii_progress_thread_start(&usual);
}

/* Its sleeps during many polls, when it spins no more because it has just started. */
static int sleeps_beside(const cpu_set_t *taken, const cpu_set_t *of_job)
{
    start_beside(taken, of_job);
    usleep(2 * SPIN_US);
    for (const int before = polls; polls < before + 100 * POLLS;)
        usleep(100);
    int slept = sleeps;
    armcii_progress_thread_end();
    return slept;
}

/* Is no other processor on the core of this one? */
static bool is_alone(int processor)
{
    char path[96], list[64] = "";
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
             processor);
    FILE *f = fopen(path, "r");
    if (!f) return true;
    if (!fgets(list, sizeof list, f)) list[0] = '\0';
    fclose(f);
    return !strpbrk(list, ",-");
}

/* The last processor of this process; all of them, and all others. */
static int last_processor(cpu_set_t *all, cpu_set_t *but_one)
{
    int last = CPU_SETSIZE - 1;
    ck_assert_int_eq(sched_getaffinity(0, sizeof *all, all), 0);
    while (!CPU_ISSET((size_t)last, all))
        last--;
    *but_one = *all;
    CPU_CLR((size_t)last, but_one);
    return last;
}

TEST(the_thread_sleeps_only_where_the_job_uses_every_core)
{
    cpu_set_t all, but_one;
    int last = last_processor(&all, &but_one);
    ck_assert_int_gt(sleeps_beside(&all, &all), 0);
    ck_assert_int_eq(sleeps_beside(&but_one, &all) == 0, is_alone(last));
    ck_assert_int_gt(sleeps_beside(&but_one, &but_one), 0); /* the last one is of another job */
    ck_assert_int_gt(sleeps_beside(&all, &all), 0);
}

static atomic_bool computes;

static void *compute(void *processor)
{
    cpu_set_t there = one_processor(*(int *)processor);
    sched_setaffinity(0, sizeof there, &there);
    while (computes)
        ;
    return NULL;
}

TEST(the_thread_returns_a_processor_that_others_use)
{
    cpu_set_t all, but_one;
    pthread_t other;
    int last = last_processor(&all, &but_one);
    if (!is_alone(last)) return;
    computes = true;
    ck_assert_int_eq(pthread_create(&other, NULL, compute, &last), 0);
    start_beside(&but_one, &all);
    for (int ms = 0; sleeps == 0 && ms < 20000; ms++)
        usleep(1000);
    ck_assert_int_gt(sleeps, 0);
    armcii_progress_thread_end();
    computes = false;
    pthread_join(other, NULL);
}
