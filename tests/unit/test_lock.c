/* test_lock.c - the global lock: mutual exclusion, nested entries, waiters get the lock when it is
 * yielded or suspended, and which long waits sleep. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "base/lock.h"
#include "unit.h"

enum { THREADS = 4, TURNS = 20000 };

static long sum; /* not atomic */
static atomic_int inside;
static atomic_bool other_entered;

static void start(void)
{
    armcii_lock_enable(true);
    sum = 0;
}

static void *add(void *unused)
{
    (void)unused;
    for (int i = 0; i < TURNS; i++) {
        armcii_lock_enter();
        long before = sum;
        if (atomic_fetch_add(&inside, 1) != 0) abort();
        if (i % 3 == 0) armcii_lock_enter(), armcii_lock_exit();
        if (i % 1000 == 0) {
            atomic_fetch_sub(&inside, 1);
            armcii_lock_yield();
            before = sum;
            if (atomic_fetch_add(&inside, 1) != 0) abort();
        }
        sum = before + 1;
        atomic_fetch_sub(&inside, 1);
        armcii_lock_exit();
    }
    return NULL;
}

TEST(one_thread_at_a_time)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    ck_assert_int_eq(sum, (long)THREADS * TURNS);
}

static void *try_enter(void *result)
{
    if (armcii_lock_try_enter()) {
        *(int *)result = 1;
        armcii_lock_exit();
    }
    return NULL;
}

static int other_can_enter(void)
{
    pthread_t other;
    int taken = 0;
    pthread_create(&other, NULL, try_enter, &taken);
    pthread_join(other, NULL);
    return taken;
}

TEST(exits_match_entries)
{
    ck_assert_int_eq(other_can_enter(), 1);
    armcii_lock_enter();
    armcii_lock_enter();
    ck_assert(armcii_lock_try_enter());
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(other_can_enter(), 0);
        armcii_lock_exit();
    }
    ck_assert_int_eq(other_can_enter(), 1);
}

static void *enter_and_exit(void *unused)
{
    (void)unused;
    armcii_lock_enter();
    atomic_store(&other_entered, true);
    armcii_lock_exit();
    return NULL;
}

static void wait_for_a_waiter(void)
{
    while (atomic_load(&armcii_lock.tickets) == atomic_load(&armcii_lock.now_serving))
        sched_yield();
}

/* One yield is enough, whatever the depth of the yielding thread. */
TEST(one_yield_is_enough)
{
    for (int depth = 1; depth <= 3; depth++) {
        pthread_t other;
        atomic_store(&other_entered, false);
        for (int i = 0; i < depth; i++)
            armcii_lock_enter();
        pthread_create(&other, NULL, enter_and_exit, NULL);
        wait_for_a_waiter();
        armcii_lock_yield();
        ck_assert(atomic_load(&other_entered));
        pthread_join(other, NULL);
        for (int i = 0; i < depth; i++) {
            ck_assert_int_eq(other_can_enter(), 0);
            armcii_lock_exit();
        }
        ck_assert_int_eq(other_can_enter(), 1);
    }
}

static void *read_is_alone(void *result)
{
    armcii_lock_enter();
    *(bool *)result = armcii_lock_is_alone();
    armcii_lock_exit();
    return NULL;
}

TEST(suspend_releases_all_entries)
{
    pthread_t other;
    bool alone = true;
    armcii_lock_enter();
    armcii_lock_enter();
    unsigned entries = armcii_lock_suspend();
    ck_assert_int_eq(other_can_enter(), 1);
    ck_assert_uint_eq(armcii_lock_suspend(), 0); /* the caller does not have the lock */
    pthread_create(&other, NULL, read_is_alone, &alone);
    pthread_join(other, NULL);
    ck_assert(!alone);
    armcii_lock_resume(entries);
    armcii_lock_resume(0);
    ck_assert(armcii_lock_is_alone());
    ck_assert_int_eq(other_can_enter(), 0);
    armcii_lock_exit();
    ck_assert_int_eq(other_can_enter(), 0);
    armcii_lock_exit();
    ck_assert_int_eq(other_can_enter(), 1);
}

/* ---- a thread that enters again and again */

static atomic_int turns;
static atomic_bool enough;

static void hold_for(long microseconds)
{
    for (long until = armcii_clock() + microseconds; armcii_clock() < until;)
        continue;
}

/* The lock is free only for the time between two calls. */
static void *enter_again_and_again(void *hold)
{
    while (!atomic_load(&enough)) {
        armcii_lock_enter();
        hold_for(*(const long *)hold);
        atomic_fetch_add(&turns, 1);
        armcii_lock_exit();
    }
    return NULL;
}

static void start_busy(pthread_t *busy, int n, const long *hold)
{
    atomic_store(&enough, false);
    atomic_store(&turns, 0);
    for (int i = 0; i < n; i++)
        pthread_create(&busy[i], NULL, enter_again_and_again, (void *)hold);
    while (atomic_load(&turns) < n)
        sched_yield();
}

static void end_busy(const pthread_t *busy, int n)
{
    atomic_store(&enough, true);
    for (int i = 0; i < n; i++)
        pthread_join(busy[i], NULL);
}

/* Each of n threads may be in line already, and the one that has the lock may enter once more
 * before the waiting thread is starving. The waiting thread may have to wait for a processor, too;
 * without hand-over hundreds of calls come first. */
static void few_overtake(void (*come_in)(void), int n)
{
    enum { ROUNDS = 20, SLACK = 3 };
    static const long hold =
        1000; /* ten times as long as a thread waits before it gets the lock next */
    pthread_t busy[THREADS];
    int passed = 0;
    start_busy(busy, n, &hold);
    for (int i = 0; i < ROUNDS; i++) {
        int before = atomic_load(&turns);
        come_in();
        passed += atomic_load(&turns) - before;
        armcii_lock_exit();
    }
    end_busy(busy, n);
    ck_assert_msg(passed <= SLACK * ROUNDS * (n + 1),
                  "%d calls of %d threads came before %d calls of another", passed, n, ROUNDS);
}

TEST(one_busy_thread_does_not_overtake)
{
    few_overtake(armcii_lock_enter, 1);
}

TEST(busy_threads_do_not_overtake)
{
    few_overtake(armcii_lock_enter, THREADS);
}

static void enter_and_come_back(void)
{
    armcii_lock_enter();
    atomic_fetch_sub(&turns, 1); /* one turn of another is between */
    armcii_lock_resume(armcii_lock_suspend());
}

TEST(nobody_overtakes_a_thread_that_comes_back)
{
    few_overtake(enter_and_come_back, 1);
}

/* ---- progress that a thread wants that cannot take the lock */

static atomic_int advanced;

static void advance(void)
{
    ck_assert(armcii_lock_is_mine());
    atomic_fetch_add(&advanced, 1);
}

TEST(who_leaves_makes_the_wanted_progress)
{
    armcii_lock.exit_hook = advance;
    atomic_store(&advanced, 0);
    armcii_lock_enter();
    armcii_lock_enter();
    armcii_lock_want_progress();
    armcii_lock_exit();
    ck_assert_int_eq(atomic_load(&advanced), 0); /* a nested entry */
    armcii_lock_exit();
    ck_assert_int_eq(atomic_load(&advanced), 1);
    armcii_lock_enter();
    armcii_lock_exit();
    ck_assert_int_eq(atomic_load(&advanced), 1);
    armcii_lock.exit_hook = armcii_lock_exit_nothing;
    ck_assert_uint_eq(atomic_load(&armcii_lock.flags), 0);
}

/* The depth survives what others want meanwhile. */
TEST(wishes_leave_the_depth_alone)
{
    armcii_lock_enter();
    armcii_lock_enter();
    armcii_lock_want_progress();
    unsigned entries = armcii_lock_suspend();
    ck_assert_uint_eq(entries, 2);
    armcii_lock_want_progress();
    armcii_lock_resume(entries);
    armcii_lock_exit();
    ck_assert_int_eq(other_can_enter(), 0);
    armcii_lock_exit();
    ck_assert_int_eq(other_can_enter(), 1);
    ck_assert_uint_eq(atomic_load(&armcii_lock.flags), 0);
}

/* After so many contended entries in which nobody has waited for long, one does. */
static const uint64_t entries_before[] = {0, INT32_MAX, UINT64_C(1) << 31, UINT32_MAX,
                                          UINT64_C(5) << 32};

TABLE_TEST(a_long_wait_is_over_when_it_ends, entries_before)
{
    pthread_t other;
    atomic_store(&armcii_lock.tickets, entries_before[_i] + 10);
    atomic_store(&armcii_lock.now_serving, entries_before[_i] + 10);
    armcii_lock_enter();
    pthread_create(&other, NULL, enter_and_exit, NULL);
    while (atomic_load(&armcii_lock.flags) == 0)
        sched_yield();
    armcii_lock_exit();
    pthread_join(other, NULL);
    ck_assert_uint_eq(atomic_load(&armcii_lock.flags), 0);
    ck_assert_int_eq(other_can_enter(), 1);
}

/* ---- sleeps */

static atomic_int naps;

int nanosleep(const struct timespec *length, struct timespec *rest)
{
    atomic_fetch_add(&naps, 1);
    return clock_nanosleep(CLOCK_MONOTONIC, 0, length, rest);
}

static void *wait_long(void *unused)
{
    struct backoff p = {.spins = SPIN_LIMIT};
    (void)unused;
    armcii_lock_enter();
    while (!atomic_load(&enough))
        armcii_lock_backoff(&p);
    armcii_lock_exit();
    return NULL;
}

/* As in a barrier, which takes no lock. */
static void *wait_long_without_lock(void *unused)
{
    struct backoff p = {.spins = SPIN_LIMIT};
    (void)unused;
    while (!atomic_load(&enough))
        armcii_backoff_yield(&p);
    return NULL;
}

/* n threads wait, every other one without the lock, until one naps; at most so long. */
static int naps_of_waits(int n, long microseconds)
{
    pthread_t waiting[THREADS];
    atomic_store(&enough, false);
    atomic_store(&naps, 0);
    for (int i = 0; i < n; i++)
        pthread_create(&waiting[i], NULL, i % 2 ? wait_long_without_lock : wait_long, NULL);
    for (long until = armcii_clock() + microseconds; armcii_clock() < until && !atomic_load(&naps);)
        sched_yield();
    end_busy(waiting, n);
    return atomic_load(&naps);
}

/* The other threads of a process, and other processes, need its processors. */
TEST(where_progress_is_not_seen_one_thread_waits_awake)
{
    const struct backoff_policy before = armcii_backoff;
    armcii_backoff.spin_limit = SPIN_LIMIT;
    armcii_backoff.serves_unseen = true;
    enum { SHORT = 100000, LONG = 5000000 };
    ck_assert_int_eq(naps_of_waits(1, SHORT), 0);
    ck_assert_int_gt(naps_of_waits(2, LONG), 0);
    ck_assert_int_gt(naps_of_waits(THREADS, LONG), 0);
    armcii_backoff.serves_unseen = false;
    ck_assert_int_gt(naps_of_waits(1, LONG), 0);
    armcii_backoff.spin_limit = before.spin_limit;
}

TEST(disabled_without_threads)
{
    armcii_lock_enable(false);
    armcii_lock_enter();
    ck_assert(!armcii_lock_try_enter());
    armcii_lock_enable(true);
    ck_assert_int_eq(other_can_enter(), 1);
    armcii_lock_enable(false);
    armcii_lock_exit();
}

const struct unit unit = {.begin = start};
