/* thread.c - the progress thread: its life and its sleep. */
#define _GNU_SOURCE
#include "progress/thread.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>

#include "base/log.h"
#include "base/backoff.h"
#include "progress/event.h"
#include "progress/affinity.h"

static pthread_t thread;
static void (*turn)(void);
static atomic_bool stopping, asleep;
static bool exists;

enum { LATE = 200 }; /* microseconds more than was asked for */

/* Who wakes late sits on a processor where others go first. */
bool armcii_progress_thread_sleep(bool (*doze)(long microseconds), long microseconds, bool (*is_hindered)(void))
{
    if (microseconds > POLL_INTERVAL_US) armcii_affinity_bind();
    long due = armcii_clock() + microseconds;
    atomic_store(&asleep, microseconds > POLL_INTERVAL_US && (doze != armcii_event_wait || !armcii_event_is_reliable()));
    bool may = !atomic_load(&stopping) && (!is_hindered || !is_hindered());
    bool heard = may && doze(microseconds);
    atomic_store(&asleep, false);
    if (armcii_clock() > due + LATE) armcii_affinity_migrate();
    return heard;
}

void armcii_progress_thread_wake_if_asleep(void)
{
    if (atomic_load(&asleep)) armcii_event_wakeup();
}

void armcii_progress_thread_wake(void)
{
    armcii_event_wakeup();
}

/* ---- start and end ---- */

static void *work(void *unused)
{
    (void)unused;
    prctl(PR_SET_TIMERSLACK, 1000UL); /* nanoseconds: sleep is as long as asked for */
    while (!atomic_load(&stopping)) turn();
    return NULL;
}

/* Handlers of the program run in threads of the program: the new thread blocks all signals that are sent to the process.  Those that the
 * thread itself would raise by a fault stay unblocked: the system kills a process that blocks them. */
static int create_without_signals(void)
{
    sigset_t blocked, former;
    sigfillset(&blocked);
    const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&blocked, faults[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &former);
    int error = pthread_create(&thread, NULL, work, NULL);
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    return error;
}

void armcii_progress_thread_start(void (*each_turn)(void))
{
    turn = each_turn;
    armcii_event_start();
    atomic_store(&stopping, false);
    armcii_affinity_init();
    if (create_without_signals() != 0) armcii_fatal("no thread for operations between nodes");
    pthread_setname_np(thread, THREAD_NAME);
    exists = true;
}

void armcii_progress_thread_end(void)
{
    if (!exists) return;
    exists = false;
    atomic_store(&stopping, true);
    armcii_event_wakeup();
    pthread_join(thread, NULL);
    armcii_event_end();
}
