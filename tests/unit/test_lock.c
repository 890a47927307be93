/* test_lock.c - the global lock: mutual exclusion, nested entries, and waiters get the lock when it is yielded or suspended. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

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
    while (atomic_load(&armcii_lock_state.tickets) == atomic_load(&armcii_lock_state.served))
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
