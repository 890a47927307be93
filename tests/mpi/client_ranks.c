/* client_ranks.c - MPI's functions, as a server with many clients sees them. */
#include "client_ranks.h"

#include <sched.h>
#include <time.h>

#include "harness.h"
#include "transport/am/proto.h"
#include "transport/am/server.h"

MPI_Comm to_server, from_server, server_comm = MPI_COMM_NULL;
int few_clients;
struct seen seen;

int all_clients(void)
{
    return EACH * (test_ranks() - 1);
}

int server_rank(int process, int client)
{
    return 1 + (process - 1) * EACH + client;
}

static int process_of(int rank)
{
    return 1 + (rank - 1) / EACH;
}

int tag_of(int client, int tag)
{
    enum { TAGS = 3 };
    return client * TAGS + (tag >= AM_TAG_FIRST) + (tag >= AM_TAG_FIRST + AM_TAG_DATA);
}

static int tag_of_rank(int rank, int tag)
{
    return tag_of((rank - 1) % EACH, tag);
}

/* A message that a client has sent to the server. */
static void rename_sender(MPI_Status *status)
{
    if (status->MPI_TAG == MPI_ANY_TAG) return;
    status->MPI_SOURCE = server_rank(status->MPI_SOURCE, status->MPI_TAG);
    if (seen.withholds) seen.arrived[seen.arrivals++] = status->MPI_SOURCE;
}

/* The memory of these tests is in no heap. */
bool __wrap_armcii_heap_is_used(int process, const void *memory, size_t bytes);
bool __wrap_armcii_heap_is_used(int process, const void *memory, size_t bytes)
{
    return process == 0 && memory && bytes > 0;
}

bool __real_armcii_am_decode(const struct am_request_header *r, size_t left, struct am_decoded *d);
bool __wrap_armcii_am_decode(const struct am_request_header *r, size_t left, struct am_decoded *d);
bool __wrap_armcii_am_decode(const struct am_request_header *r, size_t left, struct am_decoded *d)
{
    seen.decoded++;
    return __real_armcii_am_decode(r, left, d);
}

int MPI_Comm_size(MPI_Comm comm, int *size)
{
    int code = PMPI_Comm_size(comm, size);
    if (comm == server_comm && comm != MPI_COMM_NULL)
        *size = 1 + (few_clients > 0 ? few_clients : all_clients());
    return code;
}

int MPI_Irecv(void *buffer, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    if (comm != server_comm || comm == MPI_COMM_NULL)
        return PMPI_Irecv(buffer, n, type, from, tag, comm, request);
    if (from == MPI_ANY_SOURCE)
        return PMPI_Irecv(buffer, n, type, from, MPI_ANY_TAG, to_server, request);
    return PMPI_Irecv(buffer, n, type, process_of(from), tag_of_rank(from, tag), from_server,
                      request);
}

int MPI_Isend(const void *buffer, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    if (comm != server_comm || comm == MPI_COMM_NULL)
        return PMPI_Isend(buffer, n, type, to, tag, comm, request);
    if (seen.withholds && tag >= AM_TAG_FIRST) seen.replied[seen.replies++] = to;
    return PMPI_Isend(buffer, n, type, process_of(to), tag_of_rank(to, tag), from_server, request);
}

/* The server ends its receives by messages to itself. */
int MPI_Send(const void *buffer, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    const bool ends = comm == server_comm && comm != MPI_COMM_NULL;
    return PMPI_Send(buffer, n, type, to, ends ? 0 : tag, ends ? to_server : comm);
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *there, MPI_Status *status)
{
    if (comm != server_comm || comm == MPI_COMM_NULL)
        return PMPI_Iprobe(from, tag, comm, there, status);
    return PMPI_Iprobe(from, MPI_ANY_TAG, to_server, there, status);
}

int MPI_Improbe(int from, int tag, MPI_Comm comm, int *there, MPI_Message *message,
                MPI_Status *status)
{
    if (comm != server_comm || comm == MPI_COMM_NULL)
        return PMPI_Improbe(from, tag, comm, there, message, status);
    return PMPI_Improbe(from, MPI_ANY_TAG, to_server, there, message, status);
}

/* Where the server looks for a sender, it has received a request. */
int MPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
    const bool is_reply = seen.withholds && status == MPI_STATUS_IGNORE;
    *done = 0;
    if (is_reply && seen.completions == 0) return MPI_SUCCESS;
    int code = PMPI_Test(request, done, status);
    if (is_reply) seen.completions -= *done;
    if (*done && status != MPI_STATUS_IGNORE && server_comm != MPI_COMM_NULL) rename_sender(status);
    return code;
}

int MPI_Testsome(int n, MPI_Request requests[], int *done, int which[], MPI_Status statuses[])
{
    int code = PMPI_Testsome(n, requests, done, which, statuses);
    for (int i = 0; i < *done && *done != MPI_UNDEFINED && server_comm != MPI_COMM_NULL; i++)
        rename_sender(&statuses[i]);
    return code;
}

/* ---- the server ---- */

bool is_done(MPI_Request *request)
{
    int done;
    PMPI_Test(request, &done, MPI_STATUS_IGNORE);
    return done;
}

void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

void start_server(MPI_Request *end)
{
    MPI_Comm_dup(MPI_COMM_SELF, &server_comm);
    armcii_am_comm = server_comm;
    armcii_server_start();
    PMPI_Ibarrier(to_server, end);
}

void stop_server(void)
{
    armcii_server_end();
    MPI_Comm unused = server_comm;
    server_comm = MPI_COMM_NULL;
    MPI_Comm_free(&unused);
}

void serve(MPI_Request *end)
{
    int done = 0;
    for (int idle = 0; !done; idle++) {
        if (armcii_server_serve()) idle = 0;
        if (idle < 100) continue;
        sleep_ms(1);
        PMPI_Test(end, &done, MPI_STATUS_IGNORE);
    }
}

void yield_at_times(unsigned poll)
{
    if (poll % 256 == 0) sched_yield();
}

/* Without sleeps, until all have come. */
void serve_at_once(void)
{
    MPI_Request all;
    PMPI_Ibarrier(to_server, &all);
    for (unsigned i = 0; i % 1024 != 0 || !is_done(&all); i++) {
        armcii_server_serve();
        yield_at_times(i);
    }
}

void wait_for_all(void)
{
    MPI_Request all;
    PMPI_Ibarrier(to_server, &all);
    while (!is_done(&all))
        sleep_ms(10);
}
