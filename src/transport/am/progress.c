/* progress.c - the policy of the progress thread of the transport am. */
#include "transport/am/progress.h"

#include <stdbool.h>

#include "base/lock.h"
#include "progress/event.h"
#include "progress/thread.h"
#include "transport/am/endpoint.h"
#include "transport/am/server.h"

/* Operations that the program left pending.  If another thread holds the lock, that one advances them. */
static bool advance_own(void)
{
    if (!armcii_endpoints_are_busy() || !armcii_lock_try_enter()) return false;
    bool any = armcii_endpoints_progress();
    armcii_lock_exit();
    return any;
}

static enum progress_work poll_once(void)
{
    bool own = advance_own();
    if (armcii_server_serve()) return WORK_REMOTE;
    return own ? WORK_OWN : WORK_NONE;
}

/* Threads that wait in the library serve, but may leave own operations pending. */
static bool is_helped(void)
{
    static unsigned last;
    unsigned polls = armcii_server_poll_count();
    if (polls == last) return false;
    last = polls;
    advance_own();
    return true;
}

static enum progress_wait choose_wait(void)
{
    bool pending = armcii_endpoints_are_busy();
    if (!pending && !armcii_server_is_here()) return WAIT_WAKEUP;
    if (armcii_event_is_reliable()) return pending ? WAIT_SOME_EVENTS : WAIT_EVENTS;
    return pending ? WAIT_PENDING : WAIT_POLL;
}

static const struct loop_policy policy = {
    .poll = poll_once,
    .polls = 3,
    .is_helped = is_helped,
    .spins_after_help = true,
    .choose_wait = choose_wait,
    .idle_us = IDLE_US,
    .events = EVENTS_SHARED,
};

void armcii_am_progress_start(void)
{
    armcii_progress_thread_start(&policy);
}

void armcii_am_progress_end(void)
{
    armcii_progress_thread_end();
}
