/* mpi_messages.c - messages, which ARMCI's servers live on. */
#include "probes.h"

enum { TAG_LATE = 11, TAG_BEHIND = 12, LATE_MESSAGES = 4 };
#define PATIENCE 0.5

/* Post the receive when the message is there, as one that was sent behind it tells. */
static bool receive_late(int source, int *value)
{
    MPI_Request request;
    int done = 0, behind;
    MPI_Recv(&behind, 1, MPI_INT, job->origin, TAG_BEHIND, job->comm, MPI_STATUS_IGNORE);
    MPI_Irecv(value, 1, MPI_INT, source, TAG_LATE, job->comm, &request);
    for (double begun = now(); !done && now() < begun + PATIENCE;)
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done) MPI_Request_free(&request);
    return done;
}

static void try_source(struct finding *f, int source, const char *name)
{
    static int value[2 * LATE_MESSAGES]; /* a receive that never completes may write late */
    static int next;
    int *own = &value[next++ % (2 * LATE_MESSAGES)], message = 100 + job->rank;
    MPI_Request sent[2];
    MPI_Status status[2];
    MPI_Isend(&message, 1, MPI_INT, job->target, TAG_LATE, job->comm, &sent[0]);
    MPI_Isend(&message, 1, MPI_INT, job->target, TAG_BEHIND, job->comm, &sent[1]);
    bool done = receive_late(source, own);
    found(f, done && *own == 100 + job->origin, "a receive from %s that is posted when its message is there %s", name,
          done ? "gets another one" : "never completes");
    MPI_Waitall(2, sent, status);
    MPI_Barrier(job->comm);
}

void probe_late_receives(struct finding *f)
{
    for (int i = 0; i < LATE_MESSAGES; i++) {
        try_source(f, job->origin, "a rank");
        try_source(f, MPI_ANY_SOURCE, "MPI_ANY_SOURCE");
    }
    tell(f, "%ld receives posted when their message was there", f->tried);
}
