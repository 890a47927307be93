/* progress.c - the server of the transport rma: when its thread enters MPI and how long it sleeps.
 *
 * MPI does not tell whether a call found something to do.  What came over a socket of this process was heard, and neighbours ring. */
#include "transport/rma/progress.h"

#include <mpi.h>

#include "base/backoff.h"
#include "transport/rma/doorbell.h"
#include "progress/event.h"
#include "progress/affinity.h"
#include "progress/thread.h"
#include "transport/shm/node.h"
#include "mpi/world.h"

/* Microseconds. */
enum { BUSY = 100, WARM = 20000 };               /* since something came */
enum { HELPED = 500, REST = 1500, FAR = 10000 }; /* of sleep: where the program is in MPI; later; where what comes is heard */
enum { SLEEPS = 64 };                            /* after so many, look for connections that are new */

static struct {
    bool can_hear;   /* what comes from other nodes, by its sockets */
    long last;       /* when something had come */
    bool heard;      /* just now */
    bool listening;  /* to all connections that there were after the last thing that came */
    unsigned sleeps; /* since then */
    unsigned visits; /* of the program to MPI, so far */
} mind;

/* Is another thread of the library's callers in MPI, or again and again? */
static bool is_helped(void)
{
    unsigned visits = armcii_window_progress_calls();
    bool any = visits != mind.visits || armcii_window_is_progressing();
    mind.visits = visits;
    return any;
}

static void note_arrival(bool came)
{
    mind.heard = came;
    if (!came) return;
    armcii_affinity_unbind();
    mind.last = armcii_clock();
    mind.listening = false;
}

/* MPI may need several looks for one message: the first reads it, the next hands it over. */
static void look(void)
{
    enum { LOOKS = 3 };
    for (int i = 0; i < (mind.heard ? LOOKS : 1); i++) armcii_window_progress(armcii_world->control);
    mind.visits = armcii_window_progress_calls(); /* these were not the program's */
    bool came = armcii_event_drain(), rung = armcii_doorbell_clear();
    note_arrival(came || rung);
}

/* ---- sleep ---- */

static void listen_to_all(void)
{
    armcii_event_add_sockets();
    mind.listening = true;
    mind.sleeps = 0;
}

/* How long a message may wait that is not heard. */
static long most_to_sleep(long idle)
{
    bool neighbours_ring = armcii_node->size == 1 || armcii_doorbell_fd() >= 0;
    if (mind.can_hear) return mind.listening && neighbours_ring ? FAR : REST;
    return idle < WARM ? POLL_INTERVAL_US : REST;
}

static void fall_asleep(long microseconds)
{
    armcii_doorbell_arm(true);
    note_arrival(armcii_progress_thread_sleep(armcii_event_wait, microseconds, armcii_doorbell_is_pending));
    armcii_doorbell_arm(false);
}

static void rest(void)
{
    long idle = armcii_clock() - mind.last;
    if (idle < BUSY) {
        armcii_pause();
        return;
    }
    if (++mind.sleeps % SLEEPS == 0) listen_to_all();
    fall_asleep(most_to_sleep(idle));
}

static void turn(void)
{
    if (is_helped()) {
        mind.listening = false; /* it may have made connections */
        armcii_progress_thread_sleep(armcii_event_wait_ignoring_fds, HELPED, NULL);
        return;
    }
    look();
    rest();
}

/* ---- start and end ---- */

/* The first process of the next node, in a circle; or, with step -1, of the one before. */
static int next_leader(int leader, int step)
{
    const struct world *w = armcii_world;
    do
        leader = (leader + step + w->size) % w->size;
    while (w->node_of[leader] != leader);
    return leader;
}

/* Each process gets a message from the first one of the next node. */
static void exchange(void)
{
    const struct world *w = armcii_world;
    int leader = w->node_of[w->rank], before = next_leader(leader, -1);
    for (int p = 0; leader == w->rank && p < w->size; p++)
        if (w->node_of[p] == before) MPI_Send(NULL, 0, MPI_BYTE, p, 0, w->control);
    MPI_Recv(NULL, 0, MPI_BYTE, next_leader(leader, 1), 0, w->control, MPI_STATUS_IGNORE);
}

/* Does what MPI sends between nodes come over sockets of this process?  The first exchange may only make the connection; the second is when
 * all listen. */
static bool can_hear(void)
{
    exchange();
    armcii_event_start();
    armcii_event_drain();
    MPI_Barrier(armcii_world->control);
    exchange();
    bool heard = armcii_event_drain();
    armcii_event_end();
    return heard;
}

void armcii_rma_progress_start(void)
{
    mind.can_hear = can_hear();
    mind.last = armcii_clock();
    mind.listening = false;
    armcii_doorbells_start();
    armcii_progress_thread_start(turn);
    if (armcii_doorbell_fd() >= 0) armcii_event_add_fd(armcii_doorbell_fd());
}

void armcii_rma_progress_end(void)
{
    armcii_progress_thread_end();
    armcii_doorbells_end();
}
