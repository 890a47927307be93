/* test_doorbell.c - a process wakes another process of its node. The test forks both; MPI is not
 * started. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/lock.h"
#include "mpi/world.h"
#include "progress/event.h"
#include "progress/loop.h"
#include "node/doorbell.h"
#include "node/segment.h"
#include "unit.h"

/* Microseconds: a sleep that must end early, a sleep that may time out, and the limit for an early
 * end. */
enum { LONG = 20000000, SHORT = 2000, EARLY = 5000000, TIMES = 100 };

/* Of both processes. */
static struct shared {
    struct doorbell doorbells[2];
    atomic_int ready, woken;
} * shared;
static int node_of[3] = {0, 0, 2}, local_rank_of[3] = {0, 1, 0}; /* process 2 is on another node */

static void become(int rank)
{
    *(struct world *)armcii_world =
        (struct world){.rank = rank, .size = 3, .node_of = node_of, .local_rank_of = local_rank_of};
    armcii_doorbells_use(shared->doorbells, rank, 2, MPI_COMM_NULL);
    atomic_fetch_add(&shared->ready, 1);
    while (atomic_load(&shared->ready) < 2)
        sched_yield();
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

/* Sleep as the progress thread does. True if the doorbell was rung. */
static bool sleep_until_ring(long microseconds)
{
    if (armcii_doorbell_begin_sleep()) armcii_event_wait(microseconds);
    armcii_doorbell_end_sleep();
    return armcii_doorbell_clear();
}

/* The other process sleeps, and counts the rings that wake it. */
static _Noreturn void run_sleeper(void)
{
    become(1);
    start_sleeping();
    while (atomic_load(&shared->woken) < TIMES)
        atomic_fetch_add(&shared->woken, sleep_until_ring(LONG));
    stop_sleeping();
    _exit(0);
}

static pid_t child;

/* Each has a bell, or both have the same one. */
static void start_sleeper(int bells)
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(shared, MAP_FAILED);
    armcii_doorbells_use(shared->doorbells, 0, 2, MPI_COMM_NULL);
    ck_assert(armcii_doorbells_open(bells)); /* inherited */
    child = fork();
    if (child == 0) run_sleeper();
    become(0);
}

static void end_sleeper(void)
{
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    armcii_doorbells_end();
    munmap(shared, sizeof *shared);
}

/* Rings, and waits until the sleeper has noticed. */
static void ring(int number)
{
    int before = atomic_load(&shared->woken);
    long begun = armcii_clock();
    armcii_doorbell_ring(1);
    while (atomic_load(&shared->woken) == before && armcii_clock() < begun + EARLY)
        sched_yield();
    ck_assert_msg(atomic_load(&shared->woken) > before, "ring %d: no wakeup within 5 s", number);
}

ROW_TEST(each_ring_wakes_the_sleeper, 2)
{
    start_sleeper(1 + _i);
    for (int i = 0; i < TIMES; i++)
        ring(i + 1);
    end_sleeper();
}

ROW_TEST(a_ring_before_sleep_is_not_lost, 2)
{
    start_sleeper(1 + _i);
    for (int i = 0; i < TIMES; i++) { /* the sleeper is asleep, or not yet */
        usleep((useconds_t)(i % 7));
        ring(i + 1);
    }
    end_sleeper();
}

TEST(a_ring_for_others_wakes_nobody_here)
{
    start_sleeper(2);
    start_sleeping();
    armcii_doorbell_ring(2); /* on another node */
    armcii_doorbell_ring(0); /* the caller itself */
    ck_assert_msg(!sleep_until_ring(SHORT), "no ring: expected false, seen true");
    ck_assert_int_eq(atomic_load(&shared->woken), 0);
    armcii_event_end();
    for (int i = 0; i < TIMES; i++)
        ring(i + 1);
    end_sleeper();
}

/* What a program that has closed standard input, output or error writes there reaches no file of
 * the library. */
TEST(no_descriptor_is_that_of_a_standard_file)
{
    struct doorbell here[2] = {{0}};
    const int saved = dup(STDIN_FILENO);
    close(STDIN_FILENO);
    armcii_doorbells_use(here, 0, 2, MPI_COMM_NULL);
    ck_assert(armcii_doorbells_open(1));
    ck_assert(armcii_event_start());
    const int segment = armcii_segment_descriptor(1);
    ck_assert_int_gt(segment, STDERR_FILENO);
    ck_assert_int_eq(fcntl(STDIN_FILENO, F_GETFD), -1);
    close(segment);
    stop_sleeping();
    armcii_doorbells_use(NULL, 0, 1, MPI_COMM_NULL);
    dup2(saved, STDIN_FILENO);
    close(saved);
}

TEST(without_doorbells_a_ring_does_nothing)
{
    armcii_doorbells_use(NULL, 0, 1, MPI_COMM_NULL);
    armcii_doorbells_start(1);
    ck_assert_int_eq(armcii_doorbell_fd(), -1);
    armcii_doorbell_ring(0);
    ck_assert(!armcii_doorbell_clear());
    ck_assert(armcii_doorbell_begin_sleep());
    armcii_doorbells_end();
}
