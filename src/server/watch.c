/* watch.c - when the thread of the transport server works and how long it sleeps. */
#include "server/watch.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/guard.h"
#include "base/wait.h"
#include "server/agent.h"
#include "server/endpoint.h"
#include "server/doze.h"
#include "server/seat.h"
#include "server/thread.h"

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
    bool hears = doze == armcii_doze && armcii_doze_is_light();
    mind.came = mind.awake = false;
    mind.heard = armcii_thread_sleep(doze, microseconds, hears || microseconds <= REST ? NULL : armcii_endpoints_are_busy);
}

/* How long a message may wait that is not heard. */
static long most_to_sleep(long idle)
{
    bool light = armcii_doze_is_light();
    if (armcii_endpoints_are_busy()) return light ? MOVING_HEARD : MOVING;
    if (light) return FAR;
    return idle < WARM ? THREAD_NAP : REST;
}

/* What came was none of ours, but the program's, say: for some time do not listen. */
static void ignore_alarms(void)
{
    enum { MOST_DOUBLED = 4 };
    fall_asleep(armcii_doze_soundly, THREAD_NAP << (mind.alarms < MOST_DOUBLED ? mind.alarms : MOST_DOUBLED));
    mind.alarms++;
}

/* Not at all while requests follow one another: waking costs as much as a request, and the time that a rank loses on the same processor
 * comes back to it in one piece. */
static void rest(void)
{
    long idle = armcii_clock() - mind.last;
    if (armcii_agent_is_here() && idle < BUSY) {
        armcii_pause();
    } else if (!armcii_agent_is_here() && !armcii_endpoints_are_busy()) {
        fall_asleep(armcii_doze_soundly, LONG);
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
    if (!armcii_endpoints_are_busy() || !armcii_guard_try()) return false;
    bool any = armcii_endpoints_advance();
    armcii_guard_unlock();
    return any;
}

static void stay_awake(void)
{
    armcii_seat_leave();
    mind.last = armcii_clock();
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

static void turn(void)
{
    if (is_helped()) {
        move_own(); /* which they may not do */
        fall_asleep(armcii_doze_soundly, HELPED);
        stay_awake();
        return;
    }
    work_on();
    rest();
}

void armcii_watch_start(void)
{
    mind.last = armcii_clock();
    mind.awake = true;
    armcii_thread_start(turn);
}

void armcii_watch_end(void)
{
    armcii_thread_end();
}
