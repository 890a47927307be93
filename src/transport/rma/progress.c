/* progress.c - the policy of the progress thread of the transport rma: it enters MPI while the program does not.
 *
 * MPI does not tell whether a poll found work, so events count as work: those of sockets, and doorbells of this node's processes. */
#include "transport/rma/progress.h"

#include <mpi.h>

#include "base/lock.h"
#include "progress/event.h"
#include "progress/thread.h"
#include "transport/rma/doorbell.h"
#include "transport/shm/node.h"
#include "mpi/world.h"

static bool sockets_raise_events; /* for messages between nodes, by the test at start */
static bool watches_all;          /* all sockets that may carry messages are watched */
static unsigned sleeps;           /* since the last search for sockets */
static unsigned mpi_calls;        /* of the program, at the last poll */

static enum progress_work poll_once(void)
{
    armcii_window_progress(armcii_world->control);
    mpi_calls = armcii_window_progress_calls(); /* without the call above */
    bool any = armcii_event_drain();
    any |= armcii_doorbell_clear();
    if (any) watches_all = false; /* the message may be from a new connection */
    return any ? WORK_REMOTE : WORK_NONE;
}

/* Is another thread in MPI, or was it since the last call?  Two threads in MPI wait for each other. */
static bool is_helped(void)
{
    unsigned calls = armcii_window_progress_calls();
    bool any = calls != mpi_calls || armcii_window_is_progressing();
    mpi_calls = calls;
    if (any) watches_all = false; /* the program may have made connections */
    return any;
}

static enum progress_wait choose_wait(void)
{
    enum { SLEEPS = 64 }; /* between two searches for sockets */
    if (++sleeps % SLEEPS == 0) {
        armcii_event_add_sockets();
        watches_all = true;
        sleeps = 0;
    }
    bool neighbours_ring = armcii_node->size == 1 || armcii_doorbell_fd() >= 0;
    if (!sockets_raise_events) return WAIT_POLL;
    return watches_all && neighbours_ring ? WAIT_EVENTS : WAIT_SOME_EVENTS;
}

static bool begin_sleep(void)
{
    armcii_doorbell_arm(true);
    return !armcii_doorbell_is_pending();
}

static void end_sleep(bool signaled)
{
    armcii_doorbell_arm(false);
    if (signaled) watches_all = false;
}

static const struct loop_policy policy = {
    .poll = poll_once,
    .polls = 1,
    .is_helped = is_helped,
    .choose_wait = choose_wait,
    .idle_us = RMA_IDLE_US,
    .begin_sleep = begin_sleep,
    .end_sleep = end_sleep,
    .events = EVENTS_ARE_WORK,
};

/* ---- start and end ---- */

/* The first process of the next node, in a ring; with step -1, of the previous one. */
static int next_leader(int leader, int step)
{
    const struct world *w = armcii_world;
    do
        leader = (leader + step + w->size) % w->size;
    while (w->node_of[leader] != leader);
    return leader;
}

/* Each process receives a message from the leader of the next node. */
static void exchange(void)
{
    const struct world *w = armcii_world;
    int leader = w->node_of[w->rank], previous = next_leader(leader, -1);
    for (int p = 0; leader == w->rank && p < w->size; p++)
        if (w->node_of[p] == previous) MPI_Send(NULL, 0, MPI_BYTE, p, 0, w->control);
    MPI_Recv(NULL, 0, MPI_BYTE, next_leader(leader, 1), 0, w->control, MPI_STATUS_IGNORE);
}

/* Do messages between nodes raise events?  The first exchange makes the connections; the second tests them, when all processes watch. */
static bool test_events(void)
{
    exchange();
    armcii_event_start();
    armcii_event_drain();
    MPI_Barrier(armcii_world->control);
    exchange();
    bool any = armcii_event_drain();
    armcii_event_end();
    return any;
}

void armcii_rma_progress_start(void)
{
    sockets_raise_events = test_events();
    watches_all = false;
    armcii_doorbells_start();
    armcii_progress_thread_start(&policy);
    if (armcii_doorbell_fd() >= 0) armcii_event_add_fd(armcii_doorbell_fd());
}

void armcii_rma_progress_end(void)
{
    armcii_progress_thread_end();
    armcii_doorbells_end();
}
