/* finalize.c - the finalize barrier.
 *
 * Over TCP, which it takes on one node, too, for long messages, where it cannot copy from one
 * process to the other, UCX (1.13 at least) closes a connection with an empty message that the peer
 * must acknowledge. MPICH (4.0.2) closes its connections in MPI_Finalize and then waits at the
 * launcher's barrier, without progress in UCX. A process that calls MPI while a peer closes its
 * connections acknowledges the peer's message; the peer then waits at the launcher's barrier and
 * acknowledges nothing, so the later process hangs. Newer MPICH has the launcher's barrier before
 * the connections are closed.
 *
 * All processes must therefore stop calling MPI before the first one closes a connection. No
 * barrier made of messages ensures this, since its last message must be received. The barrier of
 * messages here runs inside MPI_Finalize; after it, processes that have a launcher with a known
 * barrier (Hydra) use that one. The others pause without MPI, several times longer than the
 * longest time between two polls. A descheduled process polls late, so the barrier measures that
 * time: it runs twice, and its messages carry the maximum over all processes. */
#include "mpi/coll.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/config.h"
#include "base/backoff.h"
#include "base/log.h"
#include "mpi/quirks.h"

static struct {
    /* The newest communicator of a barrier; attributes hold the others. None is freed:
     * MPI_Comm_free may make progress. */
    MPI_Comm last_comm;
    long longest_gap; /* between two polls, of all processes known so far */
    bool prepared;    /* the pause */
    int launcher;     /* the descriptor; -1: not known to all processes of MPI_COMM_WORLD */
} finalize = {.last_comm = MPI_COMM_NULL, .launcher = -1};

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

/* ---- the launcher's barrier ----
 *
 * Measured: where a call came 0.3 s late, 15 of 50 jobs hung after a pause, 0 of 25 after this
 * barrier. */

static int number_of(const char *variable)
{
    const char *text = armcii_config_variable(variable);
    return text && *text ? atoi(text) : -1;
}

/* Hydra's descriptor for PMI-1, or -1. Other launchers that set PMI_FD may speak PMI-2. */
static int launcher_fd(int processes)
{
    const char *pmi = armcii_config_variable("MPIR_CVAR_PMI_VERSION");
    if (!armcii_quirks->launcher_barrier || (pmi && strcmp(pmi, "1") != 0)) return -1;
    return number_of("MPI_LOCALNRANKS") >= 0 && number_of("PMI_SIZE") == processes
               ? number_of("PMI_FD")
               : -1;
}

/* MPI uses the descriptor again only after the attributes of MPI_COMM_SELF are deleted. The answer
 * is one line. */
static void wait_at_launcher(void)
{
    static const char arrival[] = "cmd=barrier_in\n";
    char c = 0;
    ssize_t written;
    do
        written = write(finalize.launcher, arrival, strlen(arrival));
    while (written < 0 && errno == EINTR); /* a signal handler of the program */
    if (written != (ssize_t)strlen(arrival)) return;
    while (c != '\n') {
        ssize_t length = read(finalize.launcher, &c, 1);
        if (length == 0 || (length < 0 && errno != EINTR)) return; /* the launcher has died */
    }
}

/* Collective. */
static void find_launcher(MPI_Comm comm)
{
    int processes, size;
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    MPI_Comm_size(comm, &size);
    if (size < processes) return;
    int fd = launcher_fd(processes);
    finalize.launcher = armcii_coll_all(fd >= 0, comm) ? fd : -1;
}

static int pause_on_delete(MPI_Comm self, int key, void *value, void *extra)
{
    (void)self, (void)key, (void)value, (void)extra;
    if (finalize.launcher >= 0) {
        wait_at_launcher();
        return MPI_SUCCESS;
    }
    long pause = SAFETY * finalize.longest_gap;
    sleep_for(pause < PAUSE ? PAUSE : pause < LONGEST_PAUSE ? pause : LONGEST_PAUSE);
    return MPI_SUCCESS;
}

static void call_in_finalize(MPI_Comm_delete_attr_function *end, void *value)
{
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, value);
    MPI_Comm_free_keyval(&key); /* takes effect when the attribute is deleted */
}

void armcii_finalize_prepare_pause(void)
{
    if (finalize.prepared || armcii_quirks->finalize_independent) return;
    call_in_finalize(pause_on_delete, NULL);
    finalize.prepared = true;
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

void armcii_finalize_prepare_barrier(MPI_Comm comm)
{
    if (armcii_quirks->finalize_independent || !is_within_world(comm) || has_barrier(comm)) return;
    MPI_Comm *copy = malloc(sizeof *copy);
    if (!copy) armcii_fatal("out of memory for a communicator");
    find_launcher(comm);
    armcii_coll_dup(comm, copy);
    finalize.last_comm = *copy;
    call_in_finalize(barrier_on_delete, copy);
}
