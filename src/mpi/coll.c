/* coll.c - nonblocking collectives and messages with progress. */
#include "mpi/coll.h"

#include <string.h>

#include "base/lock.h"

static bool nonblocking = true;

void armcii_coll_start(bool wanted, MPI_Comm comm)
{
    nonblocking = !armcii_coll_all(!wanted, comm);
}

void armcii_coll_end(void)
{
    nonblocking = true;
}

static void progress_or_backoff(struct backoff *p)
{
    if (armcii_backoff.progress())
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

void armcii_coll_wait(MPI_Request *request)
{
    unsigned entries = armcii_lock_suspend();
    wait_request(request);
    armcii_lock_resume(entries);
}

/* Calls the nonblocking function and waits with progress, or calls the blocking one. */
#define CALL(NONBLOCKING, BLOCKING, ...)                                                           \
    do {                                                                                           \
        unsigned entries = armcii_lock_suspend();                                                  \
        if (nonblocking) {                                                                         \
            MPI_Request request;                                                                   \
            NONBLOCKING(__VA_ARGS__, &request);                                                    \
            wait_request(&request);                                                                \
        } else {                                                                                   \
            BLOCKING(__VA_ARGS__);                                                                 \
        }                                                                                          \
        armcii_lock_resume(entries);                                                               \
    } while (0)

void armcii_coll_barrier(MPI_Comm comm)
{
    CALL(MPI_Ibarrier, MPI_Barrier, comm);
}

void armcii_coll_bcast(void *buffer, int bytes, int root, MPI_Comm comm)
{
    CALL(MPI_Ibcast, MPI_Bcast, buffer, bytes, MPI_BYTE, root, comm);
}

void armcii_coll_allreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op,
                           MPI_Comm comm)
{
    CALL(MPI_Iallreduce, MPI_Allreduce, from, to, n, type, op, comm);
}

void armcii_coll_reduce(void *x, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    CALL(MPI_Ireduce, MPI_Reduce, rank == 0 ? MPI_IN_PLACE : x, x, n, type, op, 0, comm);
}

bool armcii_coll_all(bool mine, MPI_Comm comm)
{
    int good = mine, all;
    armcii_coll_allreduce(&good, &all, 1, MPI_INT, MPI_MIN, comm);
    return all;
}

/* The complement turns MPI_MAX into a minimum. */
bool armcii_coll_same(uint64_t mine, MPI_Comm comm)
{
    uint64_t both[2] = {mine, ~mine}, highest[2];
    armcii_coll_allreduce(both, highest, 2, MPI_UINT64_T, MPI_MAX, comm);
    return highest[0] == ~highest[1];
}

void armcii_coll_sendrecv(const void *out, struct peer to, void *in, struct peer from, int bytes,
                          MPI_Comm comm)
{
    MPI_Request requests[2];
    unsigned entries = armcii_lock_suspend();
    MPI_Irecv(in, bytes, MPI_BYTE, from.rank, from.tag, comm, &requests[0]);
    MPI_Isend(out, bytes, MPI_BYTE, to.rank, to.tag, comm, &requests[1]);
    wait_request(&requests[0]);
    wait_request(&requests[1]);
    armcii_lock_resume(entries);
}

/* An allgather of MPI would be a mesh of connections: Open MPI's nonblocking one sends from all
 * members to all, and a gather from all to one. */
void armcii_coll_allgather(const void *mine, void *all, int bytes, MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    size_t own = (size_t)bytes, below = own * (size_t)rank, above = own * (size_t)(size - rank - 1);
    char *items = all;
    memmove(items + below, mine, own);
    memset(items, 0, below);
    memset(items + below + own, 0, above);
    CALL(MPI_Iallreduce, MPI_Allreduce, MPI_IN_PLACE, all, bytes * size, MPI_BYTE, MPI_BOR, comm);
}

void armcii_coll_send(const void *buffer, int bytes, int to, int tag, MPI_Comm comm)
{
    CALL(MPI_Isend, MPI_Send, buffer, bytes, MPI_BYTE, to, tag, comm);
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

/* Starts to receive the probed message if it fits; false: another thread received it. Under the
 * global lock no other thread can receive between the probe and MPI_Irecv. MPI_Mprobe is not an
 * option: it would remove a message that is too long. */
static bool start_receive(void *buffer, int room, int from, int tag, MPI_Comm comm,
                          MPI_Status *status, MPI_Request *request)
{
    int still = 1, length;
    if (armcii_lock.enabled) MPI_Iprobe(from, tag, comm, &still, status);
    if (!still) return false;
    MPI_Get_count(status, MPI_BYTE, &length);
    *request = MPI_REQUEST_NULL;
    if (length <= room) MPI_Irecv(buffer, room, MPI_BYTE, status->MPI_SOURCE, tag, comm, request);
    return true;
}

bool armcii_coll_receive(void *buffer, int room, int from, int tag, MPI_Comm comm,
                         MPI_Status *status)
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
