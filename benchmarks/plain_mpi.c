/* plain_mpi.c - messages and one-sided calls of MPI alone, in the same run as the rows that are
 * compared with them. */
#include "plain_mpi.h"

#include <armci.h>
#include <message.h> /* not every armci.h includes it */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAG = 77 };

static MPI_Comm comm = MPI_COMM_NULL;

/* Collective over the listed processes only. */
static void make_communicator(const long *worlds, int *ranks, int count)
{
    MPI_Group all, mine;
    for (int i = 0; i < count; i++)
        ranks[i] = (int)worlds[i];
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, count, ranks, &mine);
    MPI_Comm_create_group(MPI_COMM_WORLD, mine, TAG, &comm);
    MPI_Group_free(&mine);
    MPI_Group_free(&all);
}

bool mpi_open(const struct site *site)
{
    char plus[] = "+";
    int world;
    long *worlds = calloc((size_t)site->ranks, sizeof *worlds);
    int *ranks = calloc((size_t)site->ranks, sizeof *ranks);
    bool complete = site_all(worlds && ranks);

    if (complete) {
        MPI_Comm_rank(MPI_COMM_WORLD, &world);
        worlds[site->me] = world;
        armci_msg_lgop(worlds, site->ranks, plus);
        make_communicator(worlds, ranks, site->ranks);
    }
    free(worlds);
    free(ranks);
    return complete;
}

void mpi_close(void)
{
    MPI_Comm_free(&comm);
}

MPI_Comm mpi_communicator(void)
{
    return comm;
}

static void send_to_self(const struct row *row, const struct site *site)
{
    MPI_Sendrecv(site->local, row->patch.bytes, MPI_BYTE, 0, TAG, site->spare, row->patch.bytes,
                 MPI_BYTE, 0, TAG, comm, MPI_STATUS_IGNORE);
}

static void run_round_trip(const struct row *row, const struct site *site, long times)
{
    int bytes = row->patch.bytes;
    for (long i = 0; i < times; i++) {
        if (site->me == 0 && site->target == 0) {
            send_to_self(row, site);
        } else if (site->me == 0) {
            MPI_Send(site->local, bytes, MPI_BYTE, site->target, TAG, comm);
            MPI_Recv(site->spare, bytes, MPI_BYTE, site->target, TAG, comm, MPI_STATUS_IGNORE);
        } else if (site->me == site->target) {
            MPI_Recv(site->spare, bytes, MPI_BYTE, 0, TAG, comm, MPI_STATUS_IGNORE);
            MPI_Send(site->spare, bytes, MPI_BYTE, 0, TAG, comm);
        }
    }
}

double mpi_round_trip(const struct site *site)
{
    enum { BATCHES = 10, TRIPS = 10 };
    char bytes[8] = {0};
    const struct row row = {.patch = {1, sizeof bytes, 0, 0}};
    struct site ends = *site; /* without the data of the rows */
    double least = 0;
    int processes;

    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    if (!mpi_has_target(site) || processes > sysconf(_SC_NPROCESSORS_ONLN)) return 0;
    ends.local = ends.spare = bytes;
    site_barrier();
    for (int batch = 0; batch < BATCHES; batch++) {
        double begin = sample_clock();
        run_round_trip(&row, &ends, TRIPS);
        double time = (sample_clock() - begin) / TRIPS;
        if (batch == 0 || time < least) least = time;
    }
    return site->me == 0 ? least : 0;
}

static void run_send(const struct row *row, const struct site *site, long times)
{
    int bytes = row->patch.bytes;
    for (long i = 0; i < times; i++) {
        if (site->me == 0 && site->target == 0)
            send_to_self(row, site);
        else if (site->me == 0)
            MPI_Send(site->local, bytes, MPI_BYTE, site->target, TAG, comm);
        else if (site->me == site->target)
            MPI_Recv(site->spare, bytes, MPI_BYTE, 0, TAG, comm, MPI_STATUS_IGNORE);
    }
}

static void run_barrier(const struct row *row, const struct site *site, long times)
{
    (void)row, (void)site;
    for (long i = 0; i < times; i++)
        MPI_Barrier(comm);
}

static void prepare(const struct row *row, const struct site *site, int seed)
{
    memset(site->local, seed, (size_t)row->patch.bytes);
    memset(site->spare, 0, (size_t)row->patch.bytes);
}

static bool received(const struct row *row, const struct site *site)
{
    return memcmp(site->local, site->spare, (size_t)row->patch.bytes) == 0;
}

static bool check_round_trip(const struct row *row, const struct site *site, int seed, long times)
{
    (void)seed, (void)times;
    return (site->me != 0 && site->me != site->target) || received(row, site);
}

static bool check_send(const struct row *row, const struct site *site, int seed, long times)
{
    (void)seed, (void)times;
    return site->me != site->target || received(row, site);
}

/* ---- a window ---- */

static MPI_Win window = MPI_WIN_NULL;
static char *memory; /* the caller's part */

/* Where threads are in use some libraries refuse windows: then there is none, on any rank. */
bool mpi_open_window(void)
{
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    bool made =
        MPI_Win_allocate(BUFFER_BYTES, 1, MPI_INFO_NULL, comm, &memory, &window) == MPI_SUCCESS;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
    if (!site_all(made)) {
        if (made) MPI_Win_free(&window);
        window = MPI_WIN_NULL;
        return false;
    }
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    return true;
}

void mpi_close_window(void)
{
    if (window == MPI_WIN_NULL) return;
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

bool mpi_has_window(const struct site *site)
{
    (void)site;
    return window != MPI_WIN_NULL;
}

static void run_put(const struct row *row, const struct site *site, long times)
{
    int bytes = row->patch.bytes;
    for (long i = 0; i < times; i++) {
        MPI_Put(site->local, bytes, MPI_BYTE, site->target, 0, bytes, MPI_BYTE, window);
        MPI_Win_flush_local(site->target, window);
    }
    MPI_Win_flush(site->target, window);
}

static void run_get(const struct row *row, const struct site *site, long times)
{
    int bytes = row->patch.bytes;
    for (long i = 0; i < times; i++) {
        MPI_Get(site->local, bytes, MPI_BYTE, site->target, 0, bytes, MPI_BYTE, window);
        MPI_Win_flush(site->target, window);
    }
}

static void prepare_put(const struct row *row, const struct site *site, int seed)
{
    memset(site->local, seed, (size_t)row->patch.bytes);
    memset(memory, 0, (size_t)row->patch.bytes);
    MPI_Win_sync(window);
}

static bool check_put(const struct row *row, const struct site *site, int seed, long times)
{
    (void)seed, (void)times;
    MPI_Win_sync(window);
    return site->me != site->target || memcmp(memory, site->local, (size_t)row->patch.bytes) == 0;
}

static void prepare_get(const struct row *row, const struct site *site, int seed)
{
    memset(site->local, 0, (size_t)row->patch.bytes);
    memset(site->spare, seed, (size_t)row->patch.bytes);
    memset(memory, seed, (size_t)row->patch.bytes);
    MPI_Win_sync(window);
}

static bool check_get(const struct row *row, const struct site *site, int seed, long times)
{
    (void)seed, (void)times;
    return site->me != 0 || received(row, site);
}

/* ---- many messages at once ---- */

/* Each message has a place of its own on both sides. */
static void run_window(const struct row *row, const struct site *site, long times)
{
    MPI_Request requests[MPI_WINDOW];
    MPI_Status statuses[MPI_WINDOW];
    int bytes = row->patch.bytes;
    bool sends = site->me == 0;
    if (site->target == 0 || (site->me != 0 && site->me != site->target)) return;
    for (long i = 0; i < times; i++) {
        for (int message = 0; message < MPI_WINDOW; message++) {
            if (sends)
                MPI_Isend(site->local + (long)message * bytes, bytes, MPI_BYTE, site->target, TAG,
                          comm, &requests[message]);
            else
                MPI_Irecv(site->spare + (long)message * bytes, bytes, MPI_BYTE, 0, TAG, comm,
                          &requests[message]);
        }
        MPI_Waitall(MPI_WINDOW, requests, statuses);
        if (sends)
            MPI_Recv(NULL, 0, MPI_BYTE, site->target, TAG, comm, MPI_STATUS_IGNORE);
        else
            MPI_Send(NULL, 0, MPI_BYTE, 0, TAG, comm);
    }
}

static void prepare_window(const struct row *row, const struct site *site, int seed)
{
    memset(site->local, seed, (size_t)MPI_WINDOW * (size_t)row->patch.bytes);
    memset(site->spare, 0, (size_t)MPI_WINDOW * (size_t)row->patch.bytes);
}

static bool check_window(const struct row *row, const struct site *site, int seed, long times)
{
    (void)seed, (void)times;
    return site->me != site->target ||
           memcmp(site->local, site->spare, (size_t)MPI_WINDOW * (size_t)row->patch.bytes) == 0;
}

bool mpi_has_target(const struct site *site)
{
    return site->target != 0;
}

const struct row kind_round_trip = {
    .who = TOGETHER, .run = run_round_trip, .prepare = prepare, .check = check_round_trip};
const struct row kind_send = {
    .who = TOGETHER, .run = run_send, .prepare = prepare, .check = check_send};
const struct row kind_mpi_barrier = {.who = TOGETHER, .run = run_barrier};
const struct row kind_mpi_put = {
    .run = run_put, .prepare = prepare_put, .check = check_put, .available = mpi_has_window};
const struct row kind_mpi_get = {
    .run = run_get, .prepare = prepare_get, .check = check_get, .available = mpi_has_window};
const struct row kind_mpi_window = {.who = TOGETHER,
                                    .run = run_window,
                                    .prepare = prepare_window,
                                    .check = check_window,
                                    .available = mpi_has_target};
