/* plain.c - 8 bytes there and 8 back, long messages, and the barrier, by MPI alone. */
#include "plain.h"

#include "kinds.h"

#include <armci.h>
#include <message.h> /* not every armci.h includes it */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 77 };

static MPI_Comm comm = MPI_COMM_NULL;

/* The processes that ARMCI left out take no part, so that MPI_Comm_split is not possible. */
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

bool plain_open(const struct site *site)
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

void plain_close(void)
{
    MPI_Comm_free(&comm);
}

static void send_to_self(const struct row *row, const struct site *site)
{
    MPI_Sendrecv(site->local, row->patch.bytes, MPI_BYTE, 0, TAG, site->spare, row->patch.bytes, MPI_BYTE, 0, TAG, comm, MPI_STATUS_IGNORE);
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

const struct row kind_round_trip = {.who = TOGETHER, .run = run_round_trip, .prepare = prepare, .check = check_round_trip};
const struct row kind_send = {.who = TOGETHER, .run = run_send, .prepare = prepare, .check = check_send};
const struct row kind_mpi_barrier = {.who = TOGETHER, .run = run_barrier};
