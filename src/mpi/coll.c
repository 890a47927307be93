/* coll.c - nonblocking collectives and messages with progress. */
#include "mpi/coll.h"

#include "base/lock.h"

static bool nonblocking;

void armcii_coll_start(bool wanted, MPI_Comm comm)
{
    int mine = wanted, any;
    MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, comm);
    nonblocking = any;
}

void armcii_coll_end(void)
{
    nonblocking = false;
}

static void progress_or_backoff(struct backoff *p)
{
    if (armcii_progress_hook())
        *p = (struct backoff){0};
    else
        armcii_backoff_yield(p);
}

static void wait_request(MPI_Request *request)
{
    struct backoff p = {0};
    for (;;) {
        int done;
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done) return;
        progress_or_backoff(&p);
    }
}

void armcii_coll_barrier(MPI_Comm comm)
{
    MPI_Request request;
    unsigned entries = armcii_lock_suspend();
    if (nonblocking) {
        MPI_Ibarrier(comm, &request);
        wait_request(&request);
    } else {
        MPI_Barrier(comm);
    }
    armcii_lock_resume(entries);
}

void armcii_coll_bcast(void *buffer, int bytes, int root, MPI_Comm comm)
{
    MPI_Request request;
    unsigned entries = armcii_lock_suspend();
    if (nonblocking) {
        MPI_Ibcast(buffer, bytes, MPI_BYTE, root, comm, &request);
        wait_request(&request);
    } else {
        MPI_Bcast(buffer, bytes, MPI_BYTE, root, comm);
    }
    armcii_lock_resume(entries);
}

void armcii_coll_allreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    MPI_Request request;
    unsigned entries = armcii_lock_suspend();
    if (nonblocking) {
        MPI_Iallreduce(from, to, n, type, op, comm, &request);
        wait_request(&request);
    } else {
        MPI_Allreduce(from, to, n, type, op, comm);
    }
    armcii_lock_resume(entries);
}

void armcii_coll_reduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    MPI_Request request;
    unsigned entries = armcii_lock_suspend();
    if (nonblocking) {
        MPI_Ireduce(from, to, n, type, op, root, comm, &request);
        wait_request(&request);
    } else {
        MPI_Reduce(from, to, n, type, op, root, comm);
    }
    armcii_lock_resume(entries);
}

void armcii_coll_allgather(const void *from, void *to, int bytes, MPI_Comm comm)
{
    MPI_Request request;
    int mine = from == MPI_IN_PLACE ? 0 : bytes;
    MPI_Datatype type = from == MPI_IN_PLACE ? MPI_DATATYPE_NULL : MPI_BYTE;
    unsigned entries = armcii_lock_suspend();
    if (nonblocking) {
        MPI_Iallgather(from, mine, type, to, bytes, MPI_BYTE, comm, &request);
        wait_request(&request);
    } else {
        MPI_Allgather(from, mine, type, to, bytes, MPI_BYTE, comm);
    }
    armcii_lock_resume(entries);
}

void armcii_coll_send(const void *buffer, int bytes, int to, int tag, MPI_Comm comm)
{
    MPI_Request request;
    unsigned entries = armcii_lock_suspend();
    if (nonblocking) {
        MPI_Isend(buffer, bytes, MPI_BYTE, to, tag, comm, &request);
        wait_request(&request);
    } else {
        MPI_Send(buffer, bytes, MPI_BYTE, to, tag, comm);
    }
    armcii_lock_resume(entries);
}

static void wait_for_message(int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    struct backoff p = {0};
    int arrived = 0;
    for (;;) {
        MPI_Iprobe(from, tag, comm, &arrived, status);
        if (arrived) return;
        progress_or_backoff(&p);
    }
}

void armcii_coll_probe(int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    unsigned entries = armcii_lock_suspend();
    if (nonblocking)
        wait_for_message(from, tag, comm, status);
    else
        MPI_Probe(from, tag, comm, status);
    armcii_lock_resume(entries);
}

/* Starts to receive the probed message if it fits; false: another thread received it.  Under the global lock no other thread can receive
 * between the probe and MPI_Irecv.  MPI_Mprobe is not an option: it would remove a message that is too long. */
static bool start_receive(void *buffer, int room, int from, int tag, MPI_Comm comm, MPI_Status *status, MPI_Request *request)
{
    int still = 1, length;
    if (armcii_lock_is_enabled()) MPI_Iprobe(from, tag, comm, &still, status);
    if (!still) return false;
    MPI_Get_count(status, MPI_BYTE, &length);
    *request = MPI_REQUEST_NULL;
    if (length <= room) MPI_Irecv(buffer, room, MPI_BYTE, status->MPI_SOURCE, tag, comm, request);
    return true;
}

bool armcii_coll_receive(void *buffer, int room, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Request request;
    bool started;
    do {
        armcii_coll_probe(from, tag, comm, status);
        armcii_lock_enter();
        started = start_receive(buffer, room, from, tag, comm, status, &request);
        armcii_lock_exit();
    } while (!started);
    if (request == MPI_REQUEST_NULL) return false;
    if (nonblocking)
        wait_request(&request);
    else
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    return true;
}
