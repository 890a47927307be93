/* loop.c - the progress loop, and the thread that runs it. */
#define _GNU_SOURCE
#include "progress/loop.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/backoff.h"
#include "base/log.h"
#include "base/thread.h"
#include "progress/affinity.h"
#include "progress/event.h"

static struct {
    const struct loop_policy *policy;
    struct {
        long last_work;          /* by armcii_clock */
        bool slept;              /* since then */
        bool signaled;           /* an event ended the last sleep */
        bool drained;            /* an event preceded the last poll, with no sleep between */
        unsigned spurious;       /* events in a row that brought no work */
        enum progress_wait wait; /* what the policy has chosen for the next sleep */
        struct {
            long wall, cpu; /* microseconds, when it began; wall 0: it has not */
        } spin;             /* without a sleep, on a processor that the thread has alone */
    } state;
    bool dedicated;               /* the thread has a processor that no process of the job uses */
    atomic_bool stopping, asleep; /* asleep: for long, and no event ends the sleep */
    pthread_t thread;
    bool exists;
    sem_t begin; /* of the loop in the thread, or of its end */
} loop;

/* ---- work ---- */

static void note_work(void)
{
    armcii_affinity_unbind();
    loop.state.last_work = armcii_clock();
    loop.state.slept = false;
    loop.state.spurious = 0;
}

static void note_found(enum progress_work found)
{
    if (loop.state.slept && loop.policy->events != EVENTS_ARE_WORK)
        armcii_event_account(loop.state.signaled || loop.state.drained);
    loop.state.signaled = loop.state.drained = false;
    if (found == WORK_REMOTE) note_work();
}

/* ---- sleep ---- */

/* may_sleep, or NULL, is asked when others see that the thread sleeps. */
static void sleep_in(bool (*wait)(long timeout), long timeout, bool (*may_sleep)(void))
{
    enum { LATE_US = 200 }; /* a later end means that the processor was busy */
    loop.state.spin.wall = 0;
    if (timeout > POLL_US) armcii_affinity_bind();
    long due = armcii_clock() + timeout;
    atomic_store(&loop.asleep,
                 timeout > HELPED_US && (wait != armcii_event_wait || !armcii_event_is_reliable()));
    loop.state.signaled =
        !atomic_load(&loop.stopping) && (!may_sleep || may_sleep()) && wait(timeout);
    atomic_store(&loop.asleep, false);
    if (armcii_clock() > due + LATE_US) armcii_affinity_migrate();
    loop.state.slept = true;
    loop.state.drained = false;
}

static bool is_still_chosen(void)
{
    return loop.policy->choose_wait() == loop.state.wait;
}

static bool begin_sleep(void)
{
    return is_still_chosen() && loop.policy->begin_sleep();
}

static void sleep_after_spurious_event(void)
{
    enum { MAX_DOUBLINGS = 4 };
    sleep_in(armcii_event_wait_ignoring_fds,
             POLL_US << (loop.state.spurious < MAX_DOUBLINGS ? loop.state.spurious : MAX_DOUBLINGS),
             NULL);
    loop.state.spurious++;
}

/* A request that raises no event waits for at most a hundredth of the silence before it. */
static long idle_timeout(void)
{
    enum { PART = 100 };
    long part = (armcii_clock() - loop.state.last_work) / PART;
    if (part < loop.policy->idle_us) return loop.policy->idle_us;
    return part < MOST_IDLE_US ? part : MOST_IDLE_US;
}

static long timeout_of(enum progress_wait wait)
{
    switch (wait) {
    case WAIT_PENDING: return PENDING_US;
    case WAIT_SOME_EVENTS: return loop.policy->idle_us;
    case WAIT_EVENTS: return EVENT_US;
    default: return armcii_clock() < loop.state.last_work + WARM_US ? POLL_US : idle_timeout();
    }
}

static void sleep_on_events(void)
{
    sleep_in(armcii_event_wait, timeout_of(loop.state.wait), begin_sleep);
    loop.policy->end_sleep(loop.state.signaled);
    if (!loop.state.signaled)
        loop.state.spurious = 0;
    else if (loop.policy->events == EVENTS_ARE_WORK)
        note_work();
}

/* ---- a processor of the thread alone ---- */

static long processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* Returns the processor where others run there, too: another job, or another node of this one where
 * nodes are containers of one machine. Between two spins the thread would wait for a time slice of
 * theirs. */
static void watch_processor(void)
{
    enum { WATCH_US = 20000, PART = 8 };
    long now = armcii_clock(), wall = now - loop.state.spin.wall;
    if (loop.state.spin.wall && wall < WATCH_US) return;
    long cpu = processor_time();
    if (loop.state.spin.wall && cpu - loop.state.spin.cpu < wall - wall / PART) {
        loop.dedicated = false;
        armcii_affinity_return_processor();
    }
    loop.state.spin.wall = now;
    loop.state.spin.cpu = cpu;
}

/* ---- the loop ---- */

static void back_off(void)
{
    long idle = armcii_clock() - loop.state.last_work;
    if (idle < SPIN_US) {
        armcii_pause();
        return;
    }
    loop.state.wait = loop.policy->choose_wait();
    if (loop.state.wait == WAIT_WAKEUP) {
        sleep_in(armcii_event_wait_ignoring_fds, WAKEUP_US, is_still_chosen);
    } else if (loop.policy->events == EVENTS_SHARED && !loop.state.slept) {
        loop.state.drained =
            armcii_event_drain(); /* events of work that is done; poll once more for later ones */
        loop.state.slept = true;
    } else if (loop.state.wait == WAIT_POLL && loop.dedicated) {
        armcii_pause();
        watch_processor();
    } else if (loop.policy->events == EVENTS_SHARED && loop.state.signaled) {
        sleep_after_spurious_event();
    } else {
        sleep_on_events();
    }
}

void armcii_progress_loop_step(void)
{
    if (loop.policy->is_helped()) {
        sleep_in(armcii_event_wait_ignoring_fds, HELPED_US, NULL);
        if (loop.policy->spins_after_help)
            loop.state.last_work = armcii_clock() - (loop.policy->spins_after_help() ? 0 : SPIN_US);
        return;
    }
    enum progress_work found = WORK_NONE;
    for (int i = 0; i < loop.policy->polls && !found; i++)
        found = loop.policy->poll();
    if (found) note_found(found);
    back_off();
}

/* ---- start and end ---- */

void armcii_progress_loop_start(const struct loop_policy *p)
{
    loop.policy = p;
    memset(&loop.state, 0, sizeof loop.state);
    loop.state.last_work = armcii_clock();
    if (!loop.exists) armcii_event_start();
}

void armcii_progress_loop_end(void)
{
    armcii_event_end();
}

static void use_exact_timers(void)
{
    prctl(PR_SET_TIMERSLACK, 1000UL); /* nanoseconds that a sleep may be longer; 50000 by default */
}

static void *run(void *unused)
{
    (void)unused;
    while (sem_wait(&loop.begin) != 0)
        continue;
    if (atomic_load(&loop.stopping)) return NULL;
    use_exact_timers();
    armcii_timeslice_set(TIMESLICE_SHORT);
    loop.dedicated = armcii_affinity_take_processor();
    while (!atomic_load(&loop.stopping))
        armcii_progress_loop_step();
    return NULL;
}

bool armcii_progress_thread_reserve(void)
{
    if (loop.exists) return true;
    if (!armcii_event_start()) return false;
    atomic_store(&loop.stopping, false);
    sem_init(&loop.begin, 0, 0);
    loop.exists = armcii_thread_create(&loop.thread, run);
    if (!loop.exists) armcii_event_end();
    return loop.exists;
}

void armcii_progress_thread_start(const struct loop_policy *p)
{
    if (!armcii_progress_thread_reserve()) armcii_fatal("no thread for operations between nodes");
    armcii_progress_loop_start(p);
    armcii_event_add_sockets(); /* MPI may have made connections since the thread was reserved */
    armcii_affinity_init();
    pthread_setname_np(loop.thread, THREAD_NAME);
    sem_post(&loop.begin);
}

void armcii_progress_thread_end(void)
{
    if (!loop.exists) return;
    loop.exists = false;
    atomic_store(&loop.stopping, true);
    sem_post(&loop.begin);
    armcii_event_wakeup();
    pthread_join(loop.thread, NULL);
    armcii_progress_loop_end();
}

void armcii_progress_thread_wake_if_asleep(void)
{
    if (atomic_load(&loop.asleep)) armcii_event_wakeup();
}
