/* finalize.c - the end of MPI.
 *
 * Over TCP, which it takes on one node, too, for long messages, where it cannot copy from one
 * process to the other, UCX (1.13 at least) closes a connection with an empty message that the peer
 * must acknowledge. MPICH (4.0.2) closes its connections in MPI_Finalize and then waits at the
 * launcher's barrier, without progress in UCX. A process that calls MPI while a peer closes its
 * connections acknowledges the peer's message; the peer then waits at the launcher's barrier and
 * acknowledges nothing, so the later process hangs. Newer MPICH has the launcher's barrier before
 * the connections are closed.
 *
 * Where the launcher is a known one (Hydra), processes make progress while they wait for it
 * (pmi.c). Elsewhere they come to the end of their calls of MPI together, as far as that is
 * possible: no barrier made of messages ensures it, since its last message must be received. The
 * barrier here runs inside MPI_Finalize; after it, the processes pause without MPI, several times
 * longer than the longest time between two polls. A descheduled process polls late, so the barrier
 * measures that time: it runs twice, and its messages carry the maximum over all processes. */
#include "mpi/coll.h"

#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "base/backoff.h"
#include "base/log.h"
#include "mpi/quirks.h"

static struct {
    /* The newest communicator of a barrier; attributes hold the others. None is freed:
     * MPI_Comm_free may make progress. */
    MPI_Comm last_comm;
    long longest_gap; /* between two polls, of all processes known so far */
    bool prepared;    /* the pause */
} finalize = {.last_comm = MPI_COMM_NULL};

/* In microseconds. */
enum { POLL_INTERVAL = 200, PAUSE = 20000, LONGEST_PAUSE = 2000000 };
enum { SAFETY = 8 }; /* the pause is this many times the longest gap */

static void sleep_for(long microseconds)
{
    nanosleep(&(struct timespec){.tv_sec = microseconds / 1000000,
                                 .tv_nsec = microseconds % 1000000 * 1000},
              NULL);
}

static void note_gap(long gap)
{
    if (gap > finalize.longest_gap) finalize.longest_gap = gap;
}

static void sleep_between_polls(long polled)
{
    sleep_for(POLL_INTERVAL);
    note_gap(armcii_clock() - polled);
}

static void wait_polling(MPI_Request *request)
{
    int done;
    for (;;) {
        long polled = armcii_clock();
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done) return;
        sleep_between_polls(polled);
    }
}

/* A message to the process at a distance, in a ring, and one from the process at the same distance
 * on the other side. */
static void exchange(MPI_Comm comm, int rank, int size, int distance, int tag)
{
    MPI_Request receive, send;
    long mine = finalize.longest_gap, theirs;
    int to = (int)(((long)rank + distance) % size),
        from = (int)(((long)rank - distance + size) % size);
    MPI_Irecv(&theirs, 1, MPI_LONG, from, tag, comm, &receive);
    MPI_Isend(&mine, 1, MPI_LONG, to, tag, comm, &send);
    wait_polling(&receive);
    wait_polling(&send);
    note_gap(theirs);
}

/* A dissemination barrier: each round doubles the number of processes that a process has heard
 * from. Messages go both ways between two processes, so distances up to half of the ring suffice: a
 * process that has sent nothing to a peer closes that connection without waiting for the peer,
 * which may still need it. In small jobs all pairs exchange messages, whatever the program has
 * done. A tag for each round: distances may exceed MPI's largest tag, which is at least 32767. */
static void run_barrier(MPI_Comm comm)
{
    enum { ALL_PAIRS = 16 };
    int rank, size, tag = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int distance = 1; distance <= size / 2;
         distance = size <= ALL_PAIRS ? distance + 1 : 2 * distance) {
        exchange(comm, rank, size, distance, tag++);
        exchange(comm, rank, size, size - distance, tag++);
    }
}

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF first, in reverse order, so all processes
 * run their barriers in the same order. */
static int barrier_on_delete(MPI_Comm self, int key, void *value, void *extra)
{
    (void)self, (void)key, (void)extra;
    sleep_between_polls(
        armcii_clock()); /* the last process may not poll in the barrier; measure its gap, too */
    run_barrier(*(MPI_Comm *)value);
    run_barrier(*(MPI_Comm *)value); /* distributes the gaps measured in the first one */
    free(value);
    return MPI_SUCCESS;
}

static int pause_on_delete(MPI_Comm self, int key, void *value, void *extra)
{
    (void)self, (void)key, (void)value, (void)extra;
    long pause = SAFETY * finalize.longest_gap;
    sleep_for(pause < PAUSE ? PAUSE : pause < LONGEST_PAUSE ? pause : LONGEST_PAUSE);
    return MPI_SUCCESS;
}

/* MPI_Finalize runs these functions in reverse order. */
void armcii_finalize_call(int (*end)(MPI_Comm, int, void *, void *), void *value)
{
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, value);
    MPI_Comm_free_keyval(&key); /* takes effect when the attribute is deleted */
}

static bool is_within_world(MPI_Comm comm)
{
    MPI_Group group, world, outside;
    int size;
    MPI_Comm_group(comm, &group);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_difference(group, world, &outside);
    MPI_Group_size(outside, &size);
    if (outside != MPI_GROUP_EMPTY) MPI_Group_free(&outside);
    MPI_Group_free(&world);
    MPI_Group_free(&group);
    return size == 0;
}

/* True if the newest barrier of every process of comm is one of the same processes. */
static bool has_barrier(MPI_Comm comm)
{
    int same = MPI_UNEQUAL;
    if (finalize.last_comm != MPI_COMM_NULL) MPI_Comm_compare(finalize.last_comm, comm, &same);
    return armcii_coll_all(same != MPI_UNEQUAL, comm);
}

static void prepare_pause(void)
{
    if (finalize.prepared) return;
    armcii_finalize_call(pause_on_delete, NULL);
    finalize.prepared = true;
}

static void prepare_barrier(MPI_Comm comm)
{
    MPI_Comm *copy = malloc(sizeof *copy);
    if (!copy) armcii_fatal("out of memory for a communicator");
    armcii_coll_dup(comm, copy);
    finalize.last_comm = *copy;
    armcii_finalize_call(barrier_on_delete, copy);
}

void armcii_finalize_prepare(MPI_Comm comm)
{
    if (armcii_quirks->finalize_independent || !is_within_world(comm)) return;
    if (armcii_pmi_prepare_progress(comm)) return;
    prepare_pause(); /* behind the barrier */
    if (!has_barrier(comm)) prepare_barrier(comm);
}
