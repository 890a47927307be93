/* finale.c - entering MPI_Finalize together.
 *
 * Over TCP, UCX (1.13 at least) flushes a connection at its end by an empty message that the peer must answer.  A process that calls MPI
 * while another is in MPI_Finalize already answers for it; the other one then waits outside of UCX until all have come, and answers nobody
 * any more, so that the one which came later never gets its own answer.  Any MPI call does that, of any program: a barrier just before
 * makes it rare, nothing makes it impossible from outside.  So: a barrier in MPI_Finalize itself, whose processes look for messages seldom,
 * and after it a pause without MPI that is long against the time between two looks. */
#include "mpi/finale.h"

#include <stdbool.h>
#include <time.h>

#include "mpi/quirks.h"

static MPI_Comm comm;
static bool prepared;

/* Microseconds. */
enum { BETWEEN_LOOKS = 200, PAUSE = 20000 };

static void sleep_for(long microseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = microseconds * 1000}, NULL);
}

static void wait_seldom_looking(MPI_Request *request)
{
    int done;
    for (;;) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done) return;
        sleep_for(BETWEEN_LOOKS);
    }
}

/* Rounds in which each hears of twice as many. */
static void meet_all(void)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int distance = 1; distance < size; distance *= 2) {
        MPI_Request receive, send;
        int to = (int)(((long)rank + distance) % size), from = (int)(((long)rank - distance + size) % size);
        MPI_Irecv(NULL, 0, MPI_BYTE, from, distance, comm, &receive);
        MPI_Isend(NULL, 0, MPI_BYTE, to, distance, comm, &send);
        wait_seldom_looking(&receive);
        wait_seldom_looking(&send);
    }
}

/* MPI_Finalize begins with the attributes of MPI_COMM_SELF.  The communicator stays: freeing it may look for messages. */
static int begin_of_finalize(MPI_Comm self, int key, void *value, void *extra)
{
    (void)self, (void)key, (void)value, (void)extra;
    meet_all();
    sleep_for(PAUSE);
    return MPI_SUCCESS;
}

void armcii_finale_prepare(MPI_Comm all)
{
    int key;
    if (prepared || armcii_quirks->lone_finalize) return;
    MPI_Comm_dup(all, &comm);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, begin_of_finalize, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    MPI_Comm_free_keyval(&key); /* when the attribute has gone */
    prepared = true;
}
