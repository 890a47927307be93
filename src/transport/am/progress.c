/* progress.c - when the thread of the transport server works and how long it sleeps. */
#include "transport/am/progress.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/lock.h"
#include "base/backoff.h"
#include "transport/am/server.h"
#include "transport/am/endpoint.h"
#include "progress/event.h"
#include "progress/affinity.h"
#include "progress/thread.h"

/* Microseconds. */
enum { BUSY = 100, WARM = 20000 };  /* since the last request */
enum { REST = 1000, FAR = 10000 };  /* of sleep: later, where what comes is heard */
enum { MOVING = 20, MOVING_HEARD = 1000, HELPED = 500, LONG = 500000 };

static struct {
    long last;       /* when there was something to do */
    bool awake;      /* it has not slept since */
    bool heard;      /* something came and ended the last sleep */
    bool came;       /* something had come before the last look while awake */
    unsigned alarms; /* how often in succession that was nothing for us */
} mind;

/* ---- sleep ---- */

/* A long one only where nothing is under way, and until something is, or where what comes is heard. */
static void fall_asleep(bool (*doze)(long microseconds), long microseconds)
{
    bool hears = doze == armcii_event_wait && armcii_event_is_reliable();
    mind.came = mind.awake = false;
    mind.heard = armcii_progress_thread_sleep(doze, microseconds, hears || microseconds <= REST ? NULL : armcii_endpoints_are_busy);
}

/* How long a message may wait that is not heard. */
static long most_to_sleep(long idle)
{
    bool light = armcii_event_is_reliable();
    if (armcii_endpoints_are_busy()) return light ? MOVING_HEARD : MOVING;
    if (light) return FAR;
    return idle < WARM ? POLL_INTERVAL_US : REST;
}

/* What came was none of ours, but the program's, say: for some time do not listen. */
static void ignore_alarms(void)
{
    enum { MOST_DOUBLED = 4 };
    fall_asleep(armcii_event_wait_ignoring_fds, POLL_INTERVAL_US << (mind.alarms < MOST_DOUBLED ? mind.alarms : MOST_DOUBLED));
    mind.alarms++;
}

/* Not at all while requests follow one another: waking costs as much as a request, and the time that a rank loses on the same processor
 * comes back to it in one piece. */
static void rest(void)
{
    long idle = armcii_clock() - mind.last;
    if (armcii_server_is_here() && idle < BUSY) {
        armcii_pause();
    } else if (!armcii_server_is_here() && !armcii_endpoints_are_busy()) {
        fall_asleep(armcii_event_wait_ignoring_fds, LONG);
    } else if (mind.awake) {
        mind.came = armcii_event_drain();
        mind.awake = false; /* and look once more */
    } else if (mind.heard) {
        ignore_alarms();
    } else {
        fall_asleep(armcii_event_wait, most_to_sleep(idle));
        if (!mind.heard) mind.alarms = 0;
    }
}

/* ---- work ---- */

/* What the program left under way.  Where another thread is in the library, that one moves it, or MPI, in which it waits. */
static bool move_own(void)
{
    if (!armcii_endpoints_are_busy() || !armcii_lock_try_enter()) return false;
    bool any = armcii_endpoints_progress();
    armcii_lock_exit();
    return any;
}

static void stay_awake(void)
{
    armcii_affinity_unbind();
    mind.last = armcii_clock();
    mind.awake = true;
    mind.alarms = 0;
}

/* It was right to wake. */
static void praise(void)
{
    if (!mind.awake) armcii_event_account(mind.heard || mind.came);
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
        served = armcii_server_serve();
    }
    if (served || moved) praise();
    if (served) stay_awake();
}

/* Other threads that wait in the library serve anyway: this one only sees to it that they still do. */
static bool is_helped(void)
{
    static unsigned helped;
    unsigned help = armcii_server_poll_count();
    bool any = help != helped;
    helped = help;
    return any;
}

static void turn(void)
{
    if (is_helped()) {
        move_own(); /* which they may not do */
        fall_asleep(armcii_event_wait_ignoring_fds, HELPED);
        stay_awake();
        return;
    }
    work_on();
    rest();
}

void armcii_am_progress_start(void)
{
    mind.last = armcii_clock();
    mind.awake = true;
    armcii_progress_thread_start(turn);
}

void armcii_am_progress_end(void)
{
    armcii_progress_thread_end();
}
