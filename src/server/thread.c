/* thread.c - when the library's thread works and how long it sleeps. */
#define _GNU_SOURCE
#include "server/thread.h"

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/error.h"
#include "base/guard.h"
#include "server/agent.h"
#include "server/client.h"

static pthread_t thread;
static atomic_bool stopping, asleep;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken;
static int key; /* of an attribute that ends with the thread */

/* Microseconds. */
enum { HOT = 200, WARM = 20000 };                                              /* since the last request */
enum { TICK = 2, MOVING = 20, NAP = 50, HELPED = 100, REST = 1000, LONG = 500000 }; /* of sleep */

static struct timespec time_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t;
}

static long microseconds_now(void)
{
    struct timespec t = time_now();
    return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* Too short to be woken from. */
static void tick(void)
{
    nanosleep(&(struct timespec){.tv_nsec = TICK * 1000}, NULL);
}

/* A long one only where nothing is under way, and until something is. */
static void nap(long microseconds)
{
    struct timespec until = time_now();
    until.tv_nsec += microseconds * 1000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&mutex);
    atomic_store(&asleep, true);
    if (!atomic_load(&stopping) && (microseconds <= HELPED || !armcii_client_is_busy())) pthread_cond_timedwait(&woken, &mutex, &until);
    atomic_store(&asleep, false);
    pthread_mutex_unlock(&mutex);
}

/* Sleep: shortest while requests follow one another, longest when nothing has come for some time.  Never spin or just yield: where a rank
 * computes on the same processor the scheduler lets one that sleeps have it back at once, one that spins wait for milliseconds. */
static void rest(long idle)
{
    if (armcii_agent_is_here() && idle < HOT)
        tick();
    else if (armcii_client_is_busy())
        nap(MOVING);
    else if (armcii_agent_is_here())
        nap(idle < WARM ? NAP : REST);
    else
        nap(LONG);
}

static bool work_once(void)
{
    if (armcii_client_is_busy() && armcii_guard_try()) { /* else another thread is in the library, and moves it */
        armcii_client_advance();
        armcii_guard_unlock();
    }
    return armcii_agent_serve();
}

/* MPI may need several looks for one message: the first reads it, the next hands it over. */
static bool work_on(void)
{
    enum { LOOKS = 3 };
    bool any = false;
    for (int i = 0; i < LOOKS && !any; i++) any = work_once();
    return any;
}

/* Other threads that wait in the library serve anyway: this one only sees to it that they still do. */
static void *work(void *unused)
{
    unsigned helped = 0;
    long last = microseconds_now();
    (void)unused;
    prctl(PR_SET_TIMERSLACK, 1000UL); /* nanoseconds: sleep is as long as asked for */
    while (!atomic_load(&stopping)) {
        unsigned help = armcii_agent_help();
        if (help != helped) {
            helped = help;
            nap(HELPED);
            last = microseconds_now();
            continue;
        }
        bool any = work_on();
        long now = microseconds_now();
        if (any) last = now;
        rest(now - last);
    }
    return NULL;
}

void armcii_thread_wake(void)
{
    if (!atomic_load(&asleep)) return;
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&woken);
    pthread_mutex_unlock(&mutex);
}

/* ---- start and end ---- */

static void stop(void)
{
    atomic_store(&stopping, true);
    armcii_thread_wake();
    pthread_join(thread, NULL);
    pthread_cond_destroy(&woken);
}

/* MPI_Finalize begins with the attributes of MPI_COMM_SELF: a program that forgets ARMCI_Finalize ends all the same. */
static int end_of_attribute(MPI_Comm self, int self_key, void *value, void *extra)
{
    (void)self, (void)self_key, (void)value, (void)extra;
    stop();
    return MPI_SUCCESS;
}

void armcii_thread_start(void)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&woken, &monotonic);
    pthread_condattr_destroy(&monotonic);
    atomic_store(&stopping, false);
    if (pthread_create(&thread, NULL, work, NULL) != 0) armcii_fatal("no thread for requests between hosts");
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_of_attribute, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}

void armcii_thread_end(void)
{
    MPI_Comm_delete_attr(MPI_COMM_SELF, key);
    MPI_Comm_free_keyval(&key);
}
