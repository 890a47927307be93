/* finalize.c - entering MPI_Finalize together.
 *
 * Over TCP, UCX (1.13 at least) flushes a connection at its end by an empty message that the peer must answer.  A process that calls MPI
 * while another is in MPI_Finalize already answers for it; the other one then waits outside of UCX until all have come, and answers nobody
 * any more, so that the one which came later never gets its own answer.  Any MPI call does that, of any program: a barrier just before
 * makes it rare, nothing makes it impossible from outside.  So: a barrier in MPI_Finalize itself, whose processes look for messages seldom,
 * and after it a pause without MPI that is long against the time between two looks.  A process that waits for its processor looks late:
 * the barrier is there twice, the longest time between two looks of any process travels with its messages, and the pause is several times
 * as long. */
#include "mpi/finalize.h"

#include "base/backoff.h"

#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "base/log.h"
#include "mpi/coll.h"
#include "mpi/quirks.h"

/* The last one made; the attributes have the others.  None is freed: freeing may look for messages. */
static MPI_Comm met_last = MPI_COMM_NULL;

/* Microseconds. */
enum { BETWEEN_LOOKS = 200, PAUSE = 20000, LONGEST_PAUSE = 2000000 };
enum { SAFETY = 8 };     /* a pause is so many times the longest time between two looks */
static long longest_gap; /* between two looks, of any process that this one has heard of */

static void sleep_for(long microseconds)
{
    nanosleep(&(struct timespec){.tv_sec = microseconds / 1000000, .tv_nsec = microseconds % 1000000 * 1000}, NULL);
}

static void note_gap(long gap)
{
    if (gap > longest_gap) longest_gap = gap;
}

static void sleep_between_looks(long looked)
{
    sleep_for(BETWEEN_LOOKS);
    note_gap(armcii_clock() - looked);
}

static void wait_seldom_looking(MPI_Request *request)
{
    int done;
    for (;;) {
        long looked = armcii_clock();
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done) return;
        sleep_between_looks(looked);
    }
}

/* Rounds in which each hears of twice as many. */
static void meet_all(MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int distance = 1; distance < size; distance *= 2) {
        MPI_Request receive, send;
        long mine = longest_gap, theirs;
        int to = (int)(((long)rank + distance) % size), from = (int)(((long)rank - distance + size) % size);
        MPI_Irecv(&theirs, 1, MPI_LONG, from, distance, comm, &receive);
        MPI_Isend(&mine, 1, MPI_LONG, to, distance, comm, &send);
        wait_seldom_looking(&receive);
        wait_seldom_looking(&send);
        note_gap(theirs);
    }
}

/* MPI_Finalize begins with the attributes of MPI_COMM_SELF, the latest first: processes of several sets meet in the same order. */
static int come_to_the_meeting(MPI_Comm self, int key, void *value, void *extra)
{
    (void)self, (void)key, (void)extra;
    sleep_between_looks(armcii_clock()); /* the last to come may not have to wait, and has a time, too */
    meet_all(*(MPI_Comm *)value);
    meet_all(*(MPI_Comm *)value); /* now each knows how late it looks, and tells it to all */
    free(value);
    return MPI_SUCCESS;
}

static int stay_away(MPI_Comm self, int key, void *value, void *extra)
{
    (void)self, (void)key, (void)value, (void)extra;
    long pause = SAFETY * longest_gap;
    sleep_for(pause < PAUSE ? PAUSE : pause < LONGEST_PAUSE ? pause : LONGEST_PAUSE);
    return MPI_SUCCESS;
}

static void set_attribute(MPI_Comm_delete_attr_function *end, void *value)
{
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, value);
    MPI_Comm_free_keyval(&key); /* when the attribute has gone */
}

void armcii_finalize_prepare_pause(void)
{
    static bool prepared;
    if (prepared || armcii_quirks->lone_finalize) return;
    set_attribute(stay_away, NULL);
    prepared = true;
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

/* Do all processes of comm meet, as the latest thing, on one with the same processes? */
static bool meet_already(MPI_Comm comm)
{
    int same = MPI_UNEQUAL, mine, all;
    if (met_last != MPI_COMM_NULL) MPI_Comm_compare(met_last, comm, &same);
    mine = same != MPI_UNEQUAL;
    armcii_coll_allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm);
    return all;
}

void armcii_finalize_prepare_barrier(MPI_Comm comm)
{
    if (armcii_quirks->lone_finalize || !is_within_world(comm) || meet_already(comm)) return;
    MPI_Comm *kept = malloc(sizeof *kept);
    if (!kept) armcii_fatal("out of memory for a communicator");
    MPI_Comm_dup(comm, kept);
    met_last = *kept;
    set_attribute(come_to_the_meeting, kept);
}
