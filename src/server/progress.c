/* progress.c - the agent of the transport rma: when its thread enters MPI and how long it sleeps.
 *
 * MPI does not tell whether a call found something to do.  What came over a socket of this process was heard, and neighbours ring. */
#include "server/progress.h"

#include <mpi.h>

#include "base/wait.h"
#include "server/bell.h"
#include "server/doze.h"
#include "server/seat.h"
#include "server/thread.h"
#include "shm/host.h"
#include "team/world.h"

bool armcii_progress_on;

/* Microseconds. */
enum { BUSY = 100, WARM = 20000 };               /* since something came */
enum { HELPED = 500, REST = 1500, FAR = 10000 }; /* of sleep: where the program is in MPI; later; where what comes is heard */
enum { SLEEPS = 64 };                            /* after so many, look for connections that are new */

static struct {
    bool can_hear;   /* what comes from other hosts, by its sockets */
    long last;       /* when something had come */
    bool heard;      /* just now */
    bool listening;  /* to all connections that there were after the last thing that came */
    unsigned sleeps; /* since then */
    unsigned visits; /* of the program to MPI, so far */
} mind;

/* Is another thread of the library's callers in MPI, or again and again? */
static bool is_helped(void)
{
    unsigned visits = armcii_window_visits();
    bool any = visits != mind.visits || armcii_window_is_visited();
    mind.visits = visits;
    return any;
}

static void note_arrival(bool came)
{
    mind.heard = came;
    if (!came) return;
    armcii_seat_leave();
    mind.last = armcii_clock();
    mind.listening = false;
}

/* MPI may need several looks for one message: the first reads it, the next hands it over. */
static void look(void)
{
    enum { LOOKS = 3 };
    for (int i = 0; i < (mind.heard ? LOOKS : 1); i++) armcii_window_progress(armcii_world->control);
    mind.visits = armcii_window_visits(); /* these were not the program's */
    bool came = armcii_doze_forget(), rung = armcii_bell_answer();
    note_arrival(came || rung);
}

/* ---- sleep ---- */

static void listen_to_all(void)
{
    armcii_doze_listen();
    mind.listening = true;
    mind.sleeps = 0;
}

/* How long a message may wait that is not heard. */
static long most_to_sleep(long idle)
{
    bool neighbours_ring = armcii_host->size == 1 || armcii_bell_descriptor() >= 0;
    if (mind.can_hear) return mind.listening && neighbours_ring ? FAR : REST;
    return idle < WARM ? THREAD_NAP : REST;
}

static void fall_asleep(long microseconds)
{
    armcii_bell_announce_sleep(true);
    note_arrival(armcii_thread_sleep(armcii_doze, microseconds, armcii_bell_rings));
    armcii_bell_announce_sleep(false);
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
        armcii_thread_sleep(armcii_doze_soundly, HELPED, NULL);
        return;
    }
    look();
    rest();
}

/* ---- flushes ---- */

void armcii_progress_flush(struct window *w, int rank, int process)
{
    armcii_bell_ring(process);
    armcii_window_flush(w, rank);
}

void armcii_progress_flush_local(struct window *w, int rank, int process)
{
    armcii_bell_ring(process);
    armcii_window_flush_local(w, rank);
}

/* ---- start and end ---- */

/* The first process of the next host, in a circle; or, with step -1, of the one before. */
static int next_leader(int leader, int step)
{
    const struct world *w = armcii_world;
    do
        leader = (leader + step + w->size) % w->size;
    while (w->host_of[leader] != leader);
    return leader;
}

/* Each process gets a message from the first one of the next host. */
static void exchange(void)
{
    const struct world *w = armcii_world;
    int leader = w->host_of[w->rank], before = next_leader(leader, -1);
    for (int p = 0; leader == w->rank && p < w->size; p++)
        if (w->host_of[p] == before) MPI_Send(NULL, 0, MPI_BYTE, p, 0, w->control);
    MPI_Recv(NULL, 0, MPI_BYTE, next_leader(leader, 1), 0, w->control, MPI_STATUS_IGNORE);
}

/* Does what MPI sends between hosts come over sockets of this process?  The first exchange may only make the connection; the second is when
 * all listen. */
static bool can_hear(void)
{
    exchange();
    armcii_doze_start();
    armcii_doze_forget();
    MPI_Barrier(armcii_world->control);
    exchange();
    bool heard = armcii_doze_forget();
    armcii_doze_end();
    return heard;
}

void armcii_progress_start(void)
{
    mind.can_hear = can_hear();
    mind.last = armcii_clock();
    mind.listening = false;
    armcii_progress_on = true;
    armcii_bells_start();
    armcii_thread_start(turn);
    if (armcii_bell_descriptor() >= 0) armcii_doze_listen_to(armcii_bell_descriptor());
}

void armcii_progress_end(void)
{
    if (!armcii_progress_on) return;
    armcii_progress_on = false;
    armcii_thread_end();
    armcii_bells_end();
}
