/* test_mutex.c - two threads of a process and one mutex of a server: while one thread waits for the
 * server, the other sees the mutex as held. Starts MPI for one process, without a launcher; skipped
 * if MPI provides no threads. The route to mutexes is replaced by a fake server. */
#include <armcix.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/lock.h"
#include "transport/route.h"
#include "unit.h"

enum { MOST_TURNS = 200000 };

/* ---- the server ---- */

static int locks, trylocks, unlocks; /* calls of the fake server, under the global lock */
static bool refuses;                 /* another process holds the mutex */
static void (*meanwhile)(void); /* runs during the next call of the server, under the global lock */

static void run_meanwhile(void)
{
    void (*what)(void) = meanwhile;
    meanwhile = NULL;
    if (what) what();
}

static void *create(struct team *team, const int count[], unsigned long name)
{
    (void)team, (void)count, (void)name;
    return &locks;
}

static void destroy(void *set)
{
    ck_assert_ptr_eq(set, &locks);
}

static void lock(void *set, int owner, int mutex)
{
    (void)set, (void)owner, (void)mutex;
    locks++;
    run_meanwhile();
}

static bool trylock(void *set, int owner, int mutex)
{
    (void)set, (void)owner, (void)mutex;
    trylocks++;
    run_meanwhile();
    return !refuses;
}

static void unlock(void *set, int owner, int mutex)
{
    (void)set, (void)owner, (void)mutex;
    unlocks++;
}

const struct mutexes *__wrap_armcii_route_mutexes(const struct team *team);
const struct mutexes *__wrap_armcii_route_mutexes(const struct team *team)
{
    static const struct mutexes server = {create, destroy, lock, trylock, unlock};
    (void)team;
    return &server;
}

/* ---- the job ---- */

static armcix_mutex_hdl_t set_handle;
static atomic_int turns; /* of threads that wait in the library */

static bool count_turn(void)
{
    turns++;
    return false;
}

static void start(void)
{
    ARMCI_Init();
    armcii_backoff.progress = count_turn;
    set_handle = ARMCIX_Create_mutexes_hdl(1, NULL);
    ck_assert_ptr_nonnull(set_handle);
    locks = trylocks = unlocks = 0;
    refuses = false;
    meanwhile = NULL;
    turns = 0;
}

static void end(void)
{
    ck_assert_int_eq(ARMCIX_Destroy_mutexes_hdl(set_handle), 0);
    ARMCI_Finalize();
}

/* ---- the other thread ---- */

static pthread_t other;
static int answer;           /* to its trylock; -1: none */
static atomic_bool finished; /* with lock and unlock */

static void *try_and_return(void *unused)
{
    (void)unused;
    answer = ARMCIX_Trylock_hdl(set_handle, 0, 0);
    return NULL;
}

static void *lock_and_unlock(void *unused)
{
    (void)unused;
    ARMCIX_Lock_hdl(set_handle, 0, 0);
    ARMCIX_Unlock_hdl(set_handle, 0, 0);
    finished = true;
    return NULL;
}

static int trylock_by_other_thread(void)
{
    answer = -1;
    ck_assert_int_eq(pthread_create(&other, NULL, try_and_return, NULL), 0);
    pthread_join(other, NULL);
    return answer;
}

static int answer_meanwhile;

static void let_other_thread_try(void)
{
    armcii_lock_exit();
    answer_meanwhile = trylock_by_other_thread();
    armcii_lock_enter();
}

/* Returns once the other thread waits in the library or has called the server. */
static void let_other_thread_lock(void)
{
    int before = locks;
    finished = false;
    ck_assert_int_eq(pthread_create(&other, NULL, lock_and_unlock, NULL), 0);
    while (turns == 0 && locks == before)
        armcii_lock_yield();
}

/* Nothing keeps the other thread from the mutex. It may have waited for long: where both share a
 * processor, it spins through a time slice before this one unlocks. */
static void join_other_thread(void)
{
    turns = 0;
    while (!finished && turns < MOST_TURNS)
        sched_yield();
    ck_assert_msg(
        finished,
        "ARMCIX_Lock_hdl by another thread: expected a return, seen none after %d turns of waiting",
        turns);
    pthread_join(other, NULL);
}

/* ---- tests ---- */

static void expect_count(int seen, int expected, const char *what)
{
    ck_assert_msg(seen == expected, "%s of the server: expected %d, seen %d", what, expected, seen);
}

static void expect_answer(int seen, int expected, const char *when)
{
    ck_assert_msg(seen == expected, "ARMCIX_Trylock_hdl %s: expected %d, seen %d", when, expected,
                  seen);
}

TEST(a_trylock_beside_another_threads_trylock_is_refused)
{
    meanwhile = let_other_thread_try;
    expect_answer(ARMCIX_Trylock_hdl(set_handle, 0, 0), 0, "of a free mutex");
    expect_answer(answer_meanwhile, 1, "during another thread's trylock");
    expect_count(trylocks, 1, "trylocks");
    expect_answer(trylock_by_other_thread(), 1, "of a mutex that another thread holds");
    ARMCIX_Unlock_hdl(set_handle, 0, 0);
    expect_answer(trylock_by_other_thread(), 0, "after the unlock");
    ARMCIX_Unlock_hdl(set_handle, 0, 0);
    expect_count(trylocks, 2, "trylocks");
    expect_count(unlocks, 2, "unlocks");
}

TEST(a_trylock_beside_another_threads_wait_for_the_lock_is_refused)
{
    meanwhile = let_other_thread_try;
    ARMCIX_Lock_hdl(set_handle, 0, 0);
    expect_answer(answer_meanwhile, 1, "while another thread waits for the lock");
    expect_count(trylocks, 0, "trylocks");
    expect_answer(trylock_by_other_thread(), 1, "of a mutex that another thread holds");
    ARMCIX_Unlock_hdl(set_handle, 0, 0);
    expect_count(unlocks, 1, "unlocks");
}

TEST(a_lock_beside_another_threads_trylock_waits_for_its_unlock)
{
    meanwhile = let_other_thread_lock;
    expect_answer(ARMCIX_Trylock_hdl(set_handle, 0, 0), 0, "of a free mutex");
    expect_count(locks, 0, "locks, before the unlock,");
    ARMCIX_Unlock_hdl(set_handle, 0, 0);
    join_other_thread();
    expect_count(locks, 1, "locks");
    expect_count(unlocks, 2, "unlocks");
}

TEST(a_refused_trylock_lets_another_threads_lock_continue)
{
    refuses = true;
    meanwhile = let_other_thread_lock;
    expect_answer(ARMCIX_Trylock_hdl(set_handle, 0, 0), 1, "of a mutex that another process holds");
    join_other_thread();
    expect_count(locks, 1, "locks");
    expect_count(unlocks, 1, "unlocks");
    refuses = false;
    expect_answer(ARMCIX_Trylock_hdl(set_handle, 0, 0), 0, "of a mutex that is free again");
    ARMCIX_Unlock_hdl(set_handle, 0, 0);
}

static void set_environment(void)
{
    setenv("ARMCI_SHM", "no", 1); /* otherwise the mutexes are in shared memory */
    setenv("ARMCI_ERRORS", "return", 1);
}

const struct unit unit = {
    .begin = start, .end = end, .run = unit_run_with_mpi_threads, .before_mpi = set_environment};
