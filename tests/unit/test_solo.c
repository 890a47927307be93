/* test_solo.c - sections without the lock: none runs beside a thread that has the lock, and they
 * end for good when another thread enters. */
#include <pthread.h>
#include <stdatomic.h>

#include "base/lock.h"
#include "base/lock.h"
#include "unit.h"

enum { ADDITIONS = 20000 };

static volatile long sum; /* not atomic */
static atomic_bool others_begin;
static atomic_int others_done;

static void start(void)
{
    armcii_lock_enable(true);
    armcii_solo_start();
    sum = 0;
}

static void *add_with_lock(void *unused)
{
    (void)unused;
    while (!atomic_load(&others_begin))
        armcii_pause();
    for (int i = 0; i < ADDITIONS; i++) {
        armcii_lock_enter();
        armcii_solo_check();
        sum = sum + 1;
        armcii_lock_exit();
    }
    atomic_fetch_add(&others_done, 1);
    return NULL;
}

/* One addition, in a section where that is possible; was it? */
static bool add(void)
{
    const bool solo = armcii_solo_enter();
    if (!solo) armcii_lock_enter();
    sum = sum + 1;
    if (solo)
        armcii_solo_exit();
    else
        armcii_lock_exit();
    return solo;
}

/* A kernel without membarrier has no sections; their end is tested in one run of the process, since
 * it is for good. */
TEST(sections_end_when_another_thread_enters)
{
    enum { THREADS = 2 };
    pthread_t threads[THREADS];
    const bool possible = atomic_load(&armcii_lock.solo.thread) != NULL;
    long expected = THREADS * ADDITIONS;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, add_with_lock, NULL);
    for (int i = 0; i < ADDITIONS; i++, expected++)
        ck_assert(add() == possible);
    atomic_store(&others_begin, true);
    for (; atomic_load(&others_done) < THREADS; expected++)
        add();
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    ck_assert_int_eq(sum, expected);
    armcii_solo_start();
    ck_assert(!add());
}

TEST(the_thread_itself_ends_nothing)
{
    const bool possible = atomic_load(&armcii_lock.solo.thread) != NULL;
    armcii_lock_enter();
    armcii_solo_check();
    armcii_lock_exit();
    ck_assert(add() == possible);
    armcii_solo_stop();
    ck_assert(!add());
}

const struct unit unit = {.begin = start};
