/* test_trylock.c - jobs that span nodes, under MPI_THREAD_MULTIPLE: a thread's trylock beside
 * another thread's lock, or wait for a lock, of the same mutex, which a server keeps: a place in
 * its queue is for a process, so the threads of one must not ask it at once; and many requests
 * beside a wait for a lock. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "../mpi/harness.h"

enum { THREADS = 4, ROUNDS = 100, TRIES = 50, REQUESTS = 17000, TIMEOUT = 30 /* seconds */ };

/* A lost mutex shall be seen as a check that fails, not as the end of the job. */
static void start_with_codes(int *argc, char ***argv)
{
    setenv("ARMCI_ERRORS", "return", 0);
    start_threaded(argc, argv);
}

/* Threads: check() is for the first one only. */

static armcix_mutex_hdl_t the_set;
static int owner;          /* of the mutex */
static atomic_int waiting; /* threads not yet at their end */

static void rest(void)
{
    nanosleep(&(struct timespec){0, 1000000}, NULL);
}

/* Wait for threads; one that never comes back waits for a mutex that was lost, and so would the
 * rest of the job. */
static void join(pthread_t *threads, int n, const char *what)
{
    double until = MPI_Wtime() + TIMEOUT;
    while (waiting > 0 && MPI_Wtime() < until)
        rest();
    if (!check(waiting == 0,
               "%s: expected that all %d threads come back within %d s, seen: %d do not", what, n,
               TIMEOUT, (int)waiting))
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
}

static bool begin(size_t bytes, void ***base)
{
    if (!needs_threads()) return false;
    *base = region_zeroed(bytes);
    the_set = ARMCIX_Create_mutexes_hdl(1, NULL);
    check(the_set != NULL, "ARMCIX_Create_mutexes_hdl: expected a set, seen NULL");
    return true;
}

static void end(void **base)
{
    check_long(ARMCIX_Destroy_mutexes_hdl(the_set), 0, "ARMCIX_Destroy_mutexes_hdl");
    region_free(base);
}

static atomic_bool about_to_lock, has_locked, may_unlock;

static void *wait_for_lock(void *unused)
{
    about_to_lock = true;
    ARMCIX_Lock_hdl(the_set, 0, owner);
    has_locked = true;
    while (!may_unlock)
        rest();
    ARMCIX_Unlock_hdl(the_set, 0, owner);
    waiting--;
    return unused;
}

static void expect_refusals(const char *when)
{
    for (int i = 0; i < TRIES; i++)
        check_long(ARMCIX_Trylock_hdl(the_set, 0, owner), 1,
                   "ARMCIX_Trylock_hdl of process %d's mutex, %s, try %d", owner, when, i);
}

static void start_waiting(pthread_t *thread)
{
    about_to_lock = has_locked = may_unlock = false;
    waiting = 1;
    pthread_create(thread, NULL, wait_for_lock, NULL);
    while (!about_to_lock)
        rest();
}

/* The owner, which has held it until now, unlocks. */
static void let_it_have_the_mutex(void)
{
    check(!has_locked,
          "ARMCIX_Lock_hdl of process %d's mutex, which that holds: expected a wait, seen a return",
          owner);
    armci_notify(owner);
    for (double until = MPI_Wtime() + TIMEOUT; !has_locked && MPI_Wtime() < until;)
        rest();
    check(has_locked,
          "ARMCIX_Lock_hdl of process %d's mutex: expected a return within %d s of the unlock, "
          "seen none",
          owner, TIMEOUT);
}

/* The first thread tries, before, while and after another of the process has the mutex, which the
 * owner holds at first. */
static void try_beside_thread(void)
{
    pthread_t thread;
    start_waiting(&thread);
    expect_refusals("while another thread waits for it");
    let_it_have_the_mutex();
    expect_refusals("while another thread holds it");
    may_unlock = true;
    join(&thread, 1, "ARMCIX_Unlock_hdl");
}

static long *counter; /* of the owner */

/* More requests than there are names for their answers. */
static void ask_beside_thread(void)
{
    pthread_t thread;
    long seen;
    start_waiting(&thread);
    for (long i = 0; i < REQUESTS; i++) {
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &seen, counter, 1, owner);
        if (!check_long(seen, i,
                        "ARMCI_Rmw of process %d's counter, time %ld, while another thread waits "
                        "for a mutex",
                        owner, i))
            break;
    }
    let_it_have_the_mutex();
    may_unlock = true;
    join(&thread, 1, "ARMCIX_Unlock_hdl");
}

/* One process at a time, far from the owner or near. */
static void take_turns(int tryer, void (*act)(void))
{
    int waits;
    if (test_rank() == owner) ARMCIX_Lock_hdl(the_set, 0, owner);
    ARMCI_Barrier();
    if (test_rank() == owner) {
        armci_notify_wait(tryer, &waits);
        ARMCIX_Unlock_hdl(the_set, 0, owner);
    }
    if (test_rank() == tryer) act();
    ARMCI_Barrier();
    if (test_rank() == tryer) {
        check_long(ARMCIX_Trylock_hdl(the_set, 0, owner), 0,
                   "ARMCIX_Trylock_hdl of process %d's mutex, which is free again", owner);
        ARMCIX_Unlock_hdl(the_set, 0, owner);
    }
    ARMCI_Barrier();
}

static void beside_a_wait(void)
{
    void **base;
    if (!begin(sizeof(long), &base)) return;
    for (owner = 0; owner < test_ranks(); owner++)
        for (int tryer = 0; tryer < test_ranks(); tryer++)
            if (tryer != owner) take_turns(tryer, try_beside_thread);
    end(base);
}

static void beside_many_requests(void)
{
    void **base;
    if (!begin(sizeof *counter, &base)) return;
    owner = test_ranks() - 1;
    counter = base[owner];
    take_turns(0, ask_beside_thread);
    end(base);
}

struct worker {
    bool tries; /* it tries before it waits */
    long *locked;
    int got, wrong; /* how often it had the mutex, how often not alone */
};

static atomic_int inside; /* threads of this process that have it */

static void change(struct worker *w)
{
    long value = -1;
    if (inside++ > 0) w->wrong++;
    ARMCI_Get(w->locked, &value, sizeof value, owner);
    value++;
    ARMCI_Put(&value, w->locked, sizeof value, owner);
    w->got++;
    inside--;
}

static void *work(void *argument)
{
    struct worker *w = argument;
    for (int i = 0; i < effort(ROUNDS); i++) {
        if (w->tries && ARMCIX_Trylock_hdl(the_set, 0, owner) != 0) continue;
        if (!w->tries) ARMCIX_Lock_hdl(the_set, 0, owner);
        change(w);
        ARMCIX_Unlock_hdl(the_set, 0, owner);
    }
    waiting--;
    return NULL;
}

static void all_at_once(long *locked)
{
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    int got = 0, all;
    waiting = THREADS;
    inside = 0;
    for (int t = 0; t < THREADS; t++) {
        workers[t] = (struct worker){.tries = t % 2 == 0, .locked = locked};
        pthread_create(&threads[t], NULL, work, &workers[t]);
    }
    join(threads, THREADS, "ARMCIX_Lock_hdl and ARMCIX_Trylock_hdl at once");
    for (int t = 0; t < THREADS; t++) {
        check_long(workers[t].wrong, 0, "ARMCIX_%s_hdl by thread %d: how often not alone",
                   t % 2 ? "Lock" : "Trylock", t);
        got += workers[t].got;
    }
    MPI_Allreduce(&got, &all, 1, MPI_INT, MPI_SUM, test_comm());
    ARMCI_Barrier();
    check_long(ARMCI_GetValueLong(locked, owner), all,
               "ARMCI_GetValueLong of what process %d's mutex protects", owner);
    ARMCI_Barrier();
}

static void together(void)
{
    long zero = 0;
    void **base;
    if (!begin(sizeof zero, &base)) return;
    for (owner = 0; owner < test_ranks(); owner += test_ranks() - 1) {
        if (test_rank() == owner) ARMCI_Put(&zero, base[owner], sizeof zero, owner);
        ARMCI_Barrier();
        all_at_once(base[owner]);
    }
    end(base);
}

static const struct test tests[] = {
    {"a trylock beside another thread's wait for the lock is refused", beside_a_wait},
    {"a thread that waits for a lock is not answered in the place of another",
     beside_many_requests},
    {"trylocks beside other threads' locks exclude, and lose no mutex", together},
};
SUITE(.start = start_with_codes);
