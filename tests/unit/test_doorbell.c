/* test_doorbell.c - a process wakes the thread of another one of its node.  Both are this test's; MPI has no part in it. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/backoff.h"
#include "transport/rma/doorbell.h"
#include "progress/event.h"
#include "transport/shm/node.h"
#include "unit.h"

/* Microseconds: a sleep whose end nobody waits for, and one that may pass. */
enum { LONG = 20000000, SHORT = 2000, AT_ONCE = 5000000, TIMES = 100 };

/* What both processes see. */
static struct shared {
    struct doorbell doorbells[2];
    atomic_int hung, woken;
} *shared;
static int rank_of[3] = {0, 1, -1}; /* process 2 is of another node */

static void be(int rank)
{
    *(struct node *)armcii_node = (struct node){.rank = rank, .size = 2, .rank_of = rank_of, .doorbells = shared->doorbells};
    armcii_doorbell_open();
    atomic_fetch_add(&shared->hung, 1);
    while (atomic_load(&shared->hung) < 2) sched_yield();
}

static void start_sleeping(void)
{
    armcii_event_start();
    armcii_event_add_fd(armcii_doorbell_fd());
    armcii_event_drain();
}

static void stop_sleeping(void)
{
    armcii_event_end();
    armcii_doorbells_end();
}

/* As the progress thread sleeps: true when it was woken by a ring. */
static bool sleep_until_it_rings(long microseconds)
{
    armcii_doorbell_arm(true);
    if (!armcii_doorbell_is_pending()) armcii_event_wait(microseconds);
    armcii_doorbell_arm(false);
    return armcii_doorbell_clear();
}

/* The other process: sleeps and counts how often it was woken. */
static _Noreturn void be_woken(void)
{
    be(1);
    start_sleeping();
    while (atomic_load(&shared->woken) < TIMES) atomic_fetch_add(&shared->woken, sleep_until_it_rings(LONG));
    stop_sleeping();
    _exit(0);
}

static pid_t start_sleeper(void)
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(shared, MAP_FAILED);
    pid_t child = fork();
    if (child == 0) be_woken();
    be(0);
    return child;
}

static void end_sleeper(pid_t child)
{
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    armcii_doorbells_end();
    munmap(shared, sizeof *shared);
}

START_TEST(each_ring_wakes_who_sleeps)
{
    pid_t child = start_sleeper();
    for (int i = 0; i < TIMES; i++) {
        long begun = armcii_clock();
        armcii_doorbell_ring(1);
        while (atomic_load(&shared->woken) <= i && armcii_clock() < begun + AT_ONCE) sched_yield();
        ck_assert_msg(atomic_load(&shared->woken) > i, "ring %d: nobody woke within 5 s", i + 1);
    }
    end_sleeper(child);
}
END_TEST

START_TEST(a_ring_before_sleep_is_not_lost)
{
    pid_t child = start_sleeper();
    for (int i = 0; i < TIMES; i++) { /* at no certain time: asleep or not yet */
        int before = atomic_load(&shared->woken);
        usleep((useconds_t)(i % 7));
        armcii_doorbell_ring(1);
        long begun = armcii_clock();
        while (atomic_load(&shared->woken) == before && armcii_clock() < begun + AT_ONCE) sched_yield();
        ck_assert_msg(atomic_load(&shared->woken) > before, "ring %d: lost", i + 1);
    }
    end_sleeper(child);
}
END_TEST

START_TEST(who_is_not_addressed_hears_nothing)
{
    pid_t child = start_sleeper();
    start_sleeping();
    armcii_doorbell_ring(2); /* of another node */
    armcii_doorbell_ring(0); /* the caller itself */
    ck_assert_msg(!sleep_until_it_rings(SHORT), "no ring: expected false, seen true");
    ck_assert_int_eq(atomic_load(&shared->woken), 0);
    armcii_event_end();
    for (int i = 0; i < TIMES; i++) {
        int before = atomic_load(&shared->woken);
        armcii_doorbell_ring(1);
        while (atomic_load(&shared->woken) == before) sched_yield();
    }
    end_sleeper(child);
}
END_TEST

START_TEST(without_bells_nothing_rings)
{
    *(struct node *)armcii_node = (struct node){.size = 1};
    armcii_doorbells_start();
    ck_assert_int_eq(armcii_doorbell_fd(), -1);
    armcii_doorbell_ring(0);
    ck_assert(!armcii_doorbell_is_pending());
    ck_assert(!armcii_doorbell_clear());
    armcii_doorbell_arm(true);
    armcii_doorbells_end();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {each_ring_wakes_who_sleeps, a_ring_before_sleep_is_not_lost, who_is_not_addressed_hears_nothing,
                                  without_bells_nothing_rings, NULL};
    return unit_run("bell", unit_case(tests));
}
