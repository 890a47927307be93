/* loop.h - the progress loop: poll; without work, back off; then sleep on events. The progress
 * thread runs it, one in each process of a job on several nodes.
 *
 *   POLL -- work ------> SPIN      poll without sleep for SPIN_US after work
 *    | ^                  |
 *    | |                  v
 *    | +-- any end ---- SLEEP      on sockets and wakeups; timeout: enum progress_wait
 *    | |                  |
 *    | |                  v        after an event without work, with EVENTS_SHARED:
 *    | +-- timeout ---- IGNORE     on wakeups only, for POLL_US x 1, 2, 4, 8, 16
 *    | |
 *    +--- is_helped --> HELPED     on wakeups only, for HELPED_US; then POLL
 *
 * The rest is a policy. There are two:
 *
 *   file       polls  idle_us      events           wait            after help
 *   am/am.c    3      IDLE_US      EVENTS_SHARED    while reliable  spins, warm
 *   rma/rma.c  1      RMA_IDLE_US  EVENTS_ARE_WORK  after a test    polls */
#ifndef ARMCII_PROGRESS_LOOP_H
#define ARMCII_PROGRESS_LOOP_H

#include <stdbool.h>

/* Its name in gdb, top -H and ps -T. */
#define THREAD_NAME "armci-progress"

/* Microseconds. */
enum {
    SPIN_US = 100,       /* requests follow one another, and a wakeup costs more than a request */
    WARM_US = 100000,    /* the next request of a busy client comes within this time, mostly */
    POLL_US = 50,        /* about a round trip over TCP; a longer sleep is on the processor of the
                            program's thread */
    PENDING_US = 20,     /* own operations need several polls for each round trip */
    IDLE_US = 1000,      /* the shortest sleep without work for long; it grows with the silence to
                            MOST_IDLE_US */
    RMA_IDLE_US = 1500,  /* the same; a poll of windows costs more */
    MOST_IDLE_US = 2000, /* the first request after a long silence waits no longer; costs 1.6 to
                            2.4 % of a processor in a virtual machine where a sleep costs 40 us */
    EVENT_US = 10000,    /* events end the sleep; a poll is for one that was missed */
    HELPED_US = 500,     /* a request waits no longer when the helpers stop */
    WAKEUP_US = 50000,   /* a wakeup ends the sleep; this limits the harm of a message that waits in
                            MPI behind some of the program, which nobody sees */
};

/* What a poll found. */
enum progress_work {
    WORK_NONE,
    WORK_OWN, /* an own operation advanced; no reason to spin, which delays the computation that it
                 overlaps */
    WORK_REMOTE, /* a request of another process */
};

/* What ends the next sleep. */
enum progress_wait {
    WAIT_POLL, /* POLL_US while warm, then idle_us to MOST_IDLE_US; no sleep on a processor that no
                  process of the job uses */
    WAIT_PENDING,     /* its timeout, PENDING_US */
    WAIT_SOME_EVENTS, /* an event, or idle_us for messages that raise none */
    WAIT_EVENTS,      /* an event, or EVENT_US */
    WAIT_WAKEUP,      /* a wakeup, or WAKEUP_US */
};

struct loop_policy {
    /* Poll MPI once, without waiting. */
    enum progress_work (*poll)(void);
    /* Polls in one step, until one finds work: MPI may read a message in one poll and deliver it in
     * the next. */
    int polls;
    /* True if other threads have polled since the last call; then this one stays away. */
    bool (*is_helped)(void);
    /* Help counts as work, because more will follow. True: spin behind it. False: be warm without
     * a spin, whose processor may be that of the thread that helped. NULL: it does not count. */
    bool (*spins_after_help)(void);
    /* Called before each sleep, and again when other threads see it coming, except one after a
     * spurious event. */
    enum progress_wait (*choose_wait)(void);
    long idle_us;
    /* Called before and after a SLEEP. begin_sleep returns false if there is work already. */
    bool (*begin_sleep)(void);
    void (*end_sleep)(bool signaled);
    enum {
        EVENTS_SHARED,   /* the program's own messages raise events, too: ignore events for a while
                            after spurious ones */
        EVENTS_ARE_WORK, /* poll cannot tell whether it found any */
    } events;
};

/* Make the thread, which sleeps until the start; false: the system gives this process no thread, or
 * no descriptor for its wakeups. */
bool armcii_progress_thread_reserve(void);
/* The thread runs the loop until armcii_progress_thread_end, which does nothing if there is no
 * thread. */
void armcii_progress_thread_start(const struct loop_policy *policy);
void armcii_progress_thread_end(void);
/* There is new work: end the sleep, if events do not end it; armcii_event_wakeup ends any. */
void armcii_progress_thread_wake_if_asleep(void);

/* The loop in the calling thread: start, one step, end. The thread consists of these. */
void armcii_progress_loop_start(const struct loop_policy *policy);
void armcii_progress_loop_step(void);
void armcii_progress_loop_end(void);

#endif
