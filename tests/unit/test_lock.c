/* test_lock.c - the global lock: one thread at a time, more than once by the same, and others come in when it is passed. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/lock.h"
#include "unit.h"

enum { THREADS = 4, TURNS = 20000 };

static long sum; /* not atomic */
static atomic_int inside;
static atomic_bool others_were_in;

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

START_TEST(one_thread_at_a_time)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    ck_assert_int_eq(sum, (long)THREADS * TURNS);
}
END_TEST

static void *try_and_take(void *result)
{
    if (armcii_lock_try_enter()) {
        *(int *)result = 1;
        armcii_lock_exit();
    }
    return NULL;
}

static int other_can_take(void)
{
    pthread_t other;
    int taken = 0;
    pthread_create(&other, NULL, try_and_take, &taken);
    pthread_join(other, NULL);
    return taken;
}

START_TEST(it_is_left_as_often_as_it_was_taken)
{
    ck_assert_int_eq(other_can_take(), 1);
    armcii_lock_enter();
    armcii_lock_enter();
    ck_assert(armcii_lock_try_enter());
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(other_can_take(), 0);
        armcii_lock_exit();
    }
    ck_assert_int_eq(other_can_take(), 1);
}
END_TEST

static void *come_in(void *unused)
{
    (void)unused;
    armcii_lock_enter();
    atomic_store(&others_were_in, true);
    armcii_lock_exit();
    return NULL;
}

START_TEST(who_waits_comes_in_when_it_is_passed)
{
    pthread_t other;
    armcii_lock_enter();
    pthread_create(&other, NULL, come_in, NULL);
    while (!atomic_load(&others_were_in)) armcii_lock_yield();
    armcii_lock_exit();
    pthread_join(other, NULL);
}
END_TEST

static void wait_until_one_stands_in_line(void)
{
    while (atomic_load(&armcii_lock_state.tickets) == atomic_load(&armcii_lock_state.served))
        sched_yield();
}

/* However often the passing thread has entered, and at the first time. */
START_TEST(one_pass_hands_it_over)
{
    for (int depth = 1; depth <= 3; depth++) {
        pthread_t other;
        atomic_store(&others_were_in, false);
        for (int i = 0; i < depth; i++)
            armcii_lock_enter();
        pthread_create(&other, NULL, come_in, NULL);
        wait_until_one_stands_in_line();
        armcii_lock_yield();
        ck_assert(atomic_load(&others_were_in));
        pthread_join(other, NULL);
        for (int i = 0; i < depth; i++) {
            ck_assert_int_eq(other_can_take(), 0);
            armcii_lock_exit();
        }
        ck_assert_int_eq(other_can_take(), 1);
    }
}
END_TEST

static void *look_whether_alone(void *result)
{
    armcii_lock_enter();
    *(bool *)result = armcii_lock_is_alone();
    armcii_lock_exit();
    return NULL;
}

START_TEST(it_is_released_wholly_and_retaken)
{
    pthread_t other;
    bool alone = true;
    armcii_lock_enter();
    armcii_lock_enter();
    unsigned entries = armcii_lock_suspend();
    ck_assert_int_eq(other_can_take(), 1);
    ck_assert_uint_eq(armcii_lock_suspend(), 0); /* it has none */
    pthread_create(&other, NULL, look_whether_alone, &alone);
    pthread_join(other, NULL);
    ck_assert(!alone);
    armcii_lock_resume(entries);
    armcii_lock_resume(0);
    ck_assert(armcii_lock_is_alone());
    ck_assert_int_eq(other_can_take(), 0);
    armcii_lock_exit();
    ck_assert_int_eq(other_can_take(), 0);
    armcii_lock_exit();
    ck_assert_int_eq(other_can_take(), 1);
}
END_TEST

START_TEST(it_costs_nothing_without_threads)
{
    armcii_lock_enable(false);
    armcii_lock_enter();
    ck_assert(!armcii_lock_try_enter());
    armcii_lock_enable(true);
    ck_assert_int_eq(other_can_take(), 1);
    armcii_lock_enable(false);
    armcii_lock_exit();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {one_thread_at_a_time,
                                  it_is_left_as_often_as_it_was_taken,
                                  who_waits_comes_in_when_it_is_passed,
                                  one_pass_hands_it_over,
                                  it_is_released_wholly_and_retaken,
                                  it_costs_nothing_without_threads,
                                  NULL};
    TCase *all = unit_case(tests);
    tcase_add_checked_fixture(all, start, NULL);
    return unit_run("guard", all);
}
