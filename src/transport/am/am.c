/* am.c - the transport am: barrier, progress thread, start and end, and the table of its functions.
 */
#include "transport/am/am.h"
#include "transport/am/proto.h"

#include <mpi.h>
#include <stdlib.h>

#include "base/config.h"
#include "base/lock.h"
#include "base/log.h"
#include "mpi/coll.h"
#include "mpi/world.h"
#include "progress/affinity.h"
#include "progress/event.h"
#include "progress/loop.h"
#include "transport/shm/shm.h"
#include "node/node.h"
#include "node/doorbell.h"
#include "transport/am/endpoint.h"
#include "transport/am/server.h"

static struct {
    bool drives_rma; /* the thread of every process calls MPI, as a target of RMA */
    /* Polls by others that is_helped has seen. */
    unsigned polls, stream_polls;
} am;

/* ---- barrier ---- */

/* A dissemination barrier of the leaders, as in node/node.c. */
static void leaders_barrier(void)
{
    const struct world *w = armcii_world;
    int n = w->nodes;
    armcii_lock_enter();
    for (int round = 0, distance = 1; distance < n; round++, distance *= 2) {
        MPI_Request requests[2];
        MPI_Irecv(NULL, 0, MPI_BYTE, w->leaders[(w->node - distance + n) % n],
                  AM_TAG_BARRIER + round, armcii_am_comm, &requests[0]);
        MPI_Isend(NULL, 0, MPI_BYTE, w->leaders[(w->node + distance) % n], AM_TAG_BARRIER + round,
                  armcii_am_comm, &requests[1]);
        armcii_endpoints_wait(&requests[0]);
        armcii_endpoints_wait(&requests[1]);
    }
    armcii_lock_exit();
}

void armcii_am_barrier(void)
{
    armcii_node_barrier();
    if (armcii_world->leaders[armcii_world->node] == armcii_world->rank) leaders_barrier();
    armcii_node_barrier();
}

/* ---- the progress thread ----
 *
 * It serves where the process is a server, and advances what the program left pending. It never
 * waits for the global lock. */

static void advance_before_exit(void)
{
    armcii_endpoints_progress();
}

/* MPI moves the data of operations that it has begun, whichever thread has the lock, and carries
 * out RMA operations of others. */
static void advance_mpi(void)
{
    int there;
    MPI_Iprobe(MPI_ANY_SOURCE, AM_TAG_BUNDLE, armcii_am_comm, &there, MPI_STATUS_IGNORE);
}

/* Operations that the program left pending. If another thread has the lock, that one advances them
 * when it leaves: it may keep calling direct transfers, which advance nothing. */
static bool advance_own(void)
{
    if (!armcii_endpoints_are_busy()) {
        if ((armcii_endpoints_have_deferred_acks() || am.drives_rma) && !armcii_server_is_here())
            advance_mpi();
        return false;
    }
    if (!armcii_lock_try_enter()) {
        armcii_lock_want_progress();
        if (!armcii_server_is_here()) advance_mpi();
        return false;
    }
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

/* Threads that wait in the library serve, but may leave own operations pending. Streams of short
 * operations poll for their acknowledgements, and serve nobody. */
static bool is_helped(void)
{
    const unsigned polls = armcii_server_poll_count(), stream = armcii_endpoints_stream_polls();
    const bool waits = polls != am.polls, streams = stream != am.stream_polls;
    if (!waits && !streams) return false;
    am.polls = polls;
    am.stream_polls = stream;
    advance_own();
    return waits || !armcii_server_serve();
}

static enum progress_wait choose_wait(void)
{
    bool pending = armcii_endpoints_are_busy();
    if (!pending && !armcii_server_is_here() && !am.drives_rma)
        return armcii_endpoints_have_deferred_acks() ? WAIT_EVENTS : WAIT_WAKEUP;
    if (armcii_event_is_reliable()) return pending ? WAIT_SOME_EVENTS : WAIT_EVENTS;
    return pending ? WAIT_PENDING : WAIT_POLL;
}

static void end_sleep(bool signaled)
{
    (void)signaled;
    armcii_doorbell_end_sleep();
}

static const struct loop_policy policy = {
    .poll = poll_once,
    .polls = 3,
    .is_helped = is_helped,
    .spins_after_help = armcii_endpoints_are_busy, /* the program computes while data arrive */
    .choose_wait = choose_wait,
    .idle_us = IDLE_US,
    .begin_sleep = armcii_doorbell_begin_sleep,
    .end_sleep = end_sleep,
    .events = EVENTS_SHARED,
};

/* ---- start and end ---- */

static void become_server(void)
{
    armcii_server_start();
    armcii_event_wakeup();
}

static void start_process(void)
{
    armcii_endpoints_start();
    if (armcii_world->node_of[armcii_world->rank] == armcii_world->rank) become_server();
    armcii_lock.exit_hook = advance_before_exit;
    if (armcii_server_is_here() && armcii_node->cpus.has_free)
        armcii_affinity_avoid(armcii_node->cpus.taken, armcii_node->cpus.of_job, MASK_WORDS);
    armcii_progress_thread_start(&policy);
}

static void end_process(void)
{
    armcii_endpoints_end();
    armcii_coll_barrier(armcii_world->comm);
    armcii_progress_thread_end();
}

void armcii_am_start(bool drives_rma)
{
    am.drives_rma = drives_rma;
    armcii_coll_dup(armcii_world->comm, &armcii_am_comm);
    armcii_am_share_among(armcii_config->clients > 0 ? (int)armcii_config->clients
                                                     : armcii_world->size);
    armcii_doorbells_start(1); /* only the server waits for neighbours */
    if (armcii_world->node_of[armcii_world->rank] == armcii_world->rank)
        armcii_event_set_doorbell(armcii_doorbell_fd());
    start_process();
}

void armcii_am_end(void)
{
    armcii_lock.exit_hook = armcii_lock_exit_nothing;
    end_process();
    armcii_server_end();
    armcii_event_set_doorbell(-1);
    armcii_doorbells_end();
    MPI_Comm_free(&armcii_am_comm);
}

/* ---- the transport ---- */

const struct transport armcii_am = {
    .name = "am",
    .start = armcii_client_start,
    .wait = armcii_client_wait,
    .is_complete = armcii_client_is_complete,
    .test = armcii_client_is_complete,
    .push = armcii_progress_thread_wake_if_asleep,
    .order = armcii_am_order,
    .complete = armcii_am_complete,
    .is_quiet = armcii_endpoints_are_quiet,
    .rmw = armcii_client_rmw,
    .progress = armcii_endpoints_poll,
};
