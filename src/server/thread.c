/* thread.c - when the library's thread works and how long it sleeps. */
#define _GNU_SOURCE
#include "server/thread.h"

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/prctl.h>

#include "base/error.h"
#include "base/guard.h"
#include "base/wait.h"
#include "server/agent.h"
#include "server/client.h"
#include "server/doze.h"
#include "server/seat.h"

static pthread_t thread;
static atomic_bool stopping, asleep;
static int key; /* of an attribute that ends with the thread */

/* Microseconds. */
enum { BUSY = 100, WARM = 20000 };          /* since the last request */
enum { NAP = 50, REST = 1000, FAR = 10000 }; /* of sleep: at first, later, where what comes is heard */
enum { MOVING = 20, MOVING_HEARD = 1000, HELPED = 500, LONG = 500000 };
enum { LATE = 200 }; /* more than was asked for */

static struct {
    long last;       /* when there was something to do */
    bool awake;      /* it has not slept since */
    bool heard;      /* something came and ended the last sleep */
    bool came;       /* something had come before the last look while awake */
    unsigned alarms; /* how often in succession that was nothing for us */
} mind;

/* ---- sleep ---- */

static bool doze_soundly(long microseconds)
{
    armcii_doze_soundly(microseconds);
    return false;
}

/* A long one only where nothing is under way, and until something is, or where what comes is heard.  Who wakes late sits on a processor
 * where others go first. */
static void fall_asleep(bool (*doze)(long microseconds), long microseconds)
{
    if (microseconds > NAP) armcii_seat_keep();
    long due = armcii_doze_clock() + microseconds;
    bool hears = doze == armcii_doze && armcii_doze_is_light();
    mind.came = false;
    atomic_store(&asleep, !hears);
    mind.heard = !atomic_load(&stopping) && (hears || microseconds <= REST || !armcii_client_is_busy()) && doze(microseconds);
    atomic_store(&asleep, false);
    mind.awake = false;
    if (armcii_doze_clock() > due + LATE) armcii_seat_change();
}

/* How long a message may wait that is not heard. */
static long most_to_sleep(long idle)
{
    bool light = armcii_doze_is_light();
    if (armcii_client_is_busy()) return light ? MOVING_HEARD : MOVING;
    if (light) return FAR;
    return idle < WARM ? NAP : REST;
}

/* What came was none of ours, but the program's, say: for some time do not listen. */
static void ignore_alarms(void)
{
    enum { MOST_DOUBLED = 4 };
    fall_asleep(doze_soundly, NAP << (mind.alarms < MOST_DOUBLED ? mind.alarms : MOST_DOUBLED));
    mind.alarms++;
}

/* Not at all while requests follow one another: waking costs as much as a request, and the time that a rank loses on the same processor
 * comes back to it in one piece. */
static void rest(void)
{
    long idle = armcii_doze_clock() - mind.last;
    if (armcii_agent_is_here() && idle < BUSY) {
        armcii_pause();
    } else if (!armcii_agent_is_here() && !armcii_client_is_busy()) {
        fall_asleep(doze_soundly, LONG);
    } else if (mind.awake) {
        mind.came = armcii_doze_forget();
        mind.awake = false; /* and look once more */
    } else if (mind.heard) {
        ignore_alarms();
    } else {
        fall_asleep(armcii_doze, most_to_sleep(idle));
        if (!mind.heard) mind.alarms = 0;
    }
}

/* ---- work ---- */

/* What the program left under way.  Where another thread is in the library, that one moves it, or MPI, in which it waits. */
static bool move_own(void)
{
    if (!armcii_client_is_busy() || !armcii_guard_try()) return false;
    bool any = armcii_client_advance();
    armcii_guard_unlock();
    return any;
}

static void stay_awake(void)
{
    armcii_seat_leave();
    mind.last = armcii_doze_clock();
    mind.awake = true;
    mind.alarms = 0;
}

/* It was right to wake. */
static void praise(void)
{
    if (!mind.awake) armcii_doze_found(mind.heard || mind.came);
    mind.heard = mind.came = false;
}

/* MPI may need several looks for one message: the first reads it, the next hands it over.  Only after requests of others is it worth to
 * stay awake for the next: own data take the processor from the rank that they are to be hidden behind. */
static void work_on(void)
{
    enum { LOOKS = 3 };
    bool served = false, moved = false;
    for (int i = 0; i < LOOKS && !served && !moved; i++) {
        moved = move_own();
        served = armcii_agent_serve();
    }
    if (served || moved) praise();
    if (served) stay_awake();
}

/* Other threads that wait in the library serve anyway: this one only sees to it that they still do. */
static bool is_helped(void)
{
    static unsigned helped;
    unsigned help = armcii_agent_help();
    bool any = help != helped;
    helped = help;
    return any;
}

static void *work(void *unused)
{
    (void)unused;
    prctl(PR_SET_TIMERSLACK, 1000UL); /* nanoseconds: sleep is as long as asked for */
    stay_awake();
    while (!atomic_load(&stopping)) {
        if (is_helped()) {
            move_own(); /* which they may not do */
            fall_asleep(doze_soundly, HELPED);
            stay_awake();
            continue;
        }
        work_on();
        rest();
    }
    return NULL;
}

void armcii_thread_wake(void)
{
    if (atomic_load(&asleep)) armcii_doze_wake();
}

void armcii_thread_call(void)
{
    armcii_doze_wake();
}

/* ---- start and end ---- */

static void stop(void)
{
    atomic_store(&stopping, true);
    armcii_doze_wake();
    pthread_join(thread, NULL);
    armcii_doze_end();
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
    armcii_doze_start();
    atomic_store(&stopping, false);
    armcii_seat_remember();
    if (pthread_create(&thread, NULL, work, NULL) != 0) armcii_fatal("no thread for requests between hosts");
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_of_attribute, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}

void armcii_thread_end(void)
{
    MPI_Comm_delete_attr(MPI_COMM_SELF, key);
    MPI_Comm_free_keyval(&key);
}
