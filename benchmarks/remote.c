/* remote.c - operations to another node, compared with plain MPI in the same run; then the short ones while the target computes without
 * library calls. */
#include "row.h"

#include <armci.h>
#include <message.h> /* not every armci.h includes it */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* ---- plain MPI ---- */

enum { TAG = 77 };

static MPI_Comm comm = MPI_COMM_NULL;

/* Progress ranks do not take part, so MPI_Comm_split is not possible. */
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

/* Make a communicator with the ranks of ARMCI, which may exclude some processes.  Collective; false if out of memory. */
static bool open_communicator(const struct site *site)
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

static void leave(struct site *site)
{
    (void)site;
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

static const struct row kind_round_trip = {.who = TOGETHER, .run = run_round_trip, .prepare = prepare, .check = check_round_trip};
static const struct row kind_send = {.who = TOGETHER, .run = run_send, .prepare = prepare, .check = check_send};
static const struct row kind_mpi_barrier = {.who = TOGETHER, .run = run_barrier};

/* ---- rows ---- */

#define ROUND_TRIP "MPI round trip 8 B"

/* As long as batches of rows with all ranks, which these rows are compared with. */
static const double SHORTEST_BATCH = 2e6;

static void run_fenced(const struct row *row, const struct site *site, long times)
{
    for (long i = 0; i < times; i++) {
        row->step(row, site, 1);
        ARMCI_Fence(site->target);
    }
}

/* As a stream of messages, complete when the last one has arrived. */
static void run_stream(const struct row *row, const struct site *site, long times)
{
    row->step(row, site, times);
    ARMCI_Fence(site->target);
}

/* A row: the kind, its run function (NULL: that of the kind), the patch, and the row that it is compared with. */
struct plan {
    const char *name;
    const struct row *kind;
    run_function run;
    struct patch patch;
    const char *versus;
    bool rate;
};

static const struct plan plans[] = {
    {ROUND_TRIP, &kind_round_trip, NULL, {1, 8, 0, 0}, NULL, false},
    {"MPI_Barrier", &kind_mpi_barrier, NULL, {0, 0, 0, 0}, NULL, false},
    {"MPI_Send 64 KiB", &kind_send, NULL, {1, 64 << 10, 0, 0}, NULL, false},
    {"MPI_Send 256 KiB", &kind_send, NULL, {1, 256 << 10, 0, 0}, NULL, false},
    {"MPI_Send 1 MiB", &kind_send, NULL, {1, 1 << 20, 0, 0}, NULL, false},
    {"MPI_Send 4 MiB", &kind_send, NULL, {1, 4 << 20, 0, 0}, NULL, false},
    {"get 8 B", &kind_get, NULL, {1, 8, 0, 0}, ROUND_TRIP, false},
    {"put 8 B + fence", &kind_put, run_fenced, {1, 8, 0, 0}, ROUND_TRIP, false},
    {"acc 8 B + fence", &kind_acc, run_fenced, {1, 8, 0, 0}, ROUND_TRIP, false},
    {"rmw fetch-and-add long", &kind_rmw, NULL, {0, 0, 0, 0}, ROUND_TRIP, false},
    {"lock + unlock, free", &kind_lock, NULL, {0, 0, 0, 0}, ROUND_TRIP, false},
    {"put 8 B", &kind_put, NULL, {1, 8, 0, 0}, ROUND_TRIP, false},
    {"fence, nothing pending", &kind_fence, NULL, {0, 0, 0, 0}, NULL, false},
    {"barrier", &kind_barrier, NULL, {0, 0, 0, 0}, "MPI_Barrier", false},
    {"1000 puts of 8 B + fence", &kind_puts, run_fenced, {1000, 8, 16, 16}, ROUND_TRIP, false},
    {"1000 nb puts + WaitAll + fence", &kind_puts_implicit, run_fenced, {1000, 8, 16, 16}, ROUND_TRIP, false},
    {"1000 puts, aggregate + fence", &kind_puts_aggregate, run_fenced, {1000, 8, 16, 16}, "putV 1000 x 8 B + fence", false},
    {"putV 1000 x 8 B + fence", &kind_put_vector, run_fenced, {1000, 8, 16, 16}, ROUND_TRIP, false},
    {"getV 1000 x 8 B", &kind_get_vector, NULL, {1000, 8, 16, 16}, ROUND_TRIP, false},
    {"get 16 KiB", &kind_get, NULL, {1, 16 << 10, 0, 0}, ROUND_TRIP, false},
    {"put 16 KiB + fence", &kind_put, run_fenced, {1, 16 << 10, 0, 0}, ROUND_TRIP, false},
    {"acc 16 KiB + fence", &kind_acc, run_fenced, {1, 16 << 10, 0, 0}, ROUND_TRIP, false},
    {"getS 1024 x 16 B", &kind_get_strided, NULL, {1024, 16, 32, 32}, "get 16 KiB", false},
    {"putS 1024 x 16 B + fence", &kind_put_strided, run_fenced, {1024, 16, 32, 32}, "put 16 KiB + fence", false},
    {"accS 1024 x 16 B + fence", &kind_acc_strided, run_fenced, {1024, 16, 32, 32}, "acc 16 KiB + fence", false},
    {"get 32 KiB", &kind_get, NULL, {1, 32 << 10, 0, 0}, ROUND_TRIP, false},
    {"put 32 KiB + fence", &kind_put, run_fenced, {1, 32 << 10, 0, 0}, ROUND_TRIP, false},
    {"acc 32 KiB + fence", &kind_acc, run_fenced, {1, 32 << 10, 0, 0}, ROUND_TRIP, false},
    {"getS 64 x 512 B", &kind_get_strided, NULL, {64, 512, 1024, 1024}, "get 32 KiB", false},
    {"putS 64 x 512 B + fence", &kind_put_strided, run_fenced, {64, 512, 1024, 1024}, "put 32 KiB + fence", false},
    {"accS 64 x 512 B + fence", &kind_acc_strided, run_fenced, {64, 512, 1024, 1024}, "acc 32 KiB + fence", false},
    {"get 64 KiB", &kind_get, NULL, {1, 64 << 10, 0, 0}, "MPI_Send 64 KiB", true},
    {"get 256 KiB", &kind_get, NULL, {1, 256 << 10, 0, 0}, "MPI_Send 256 KiB", true},
    {"get 1 MiB", &kind_get, NULL, {1, 1 << 20, 0, 0}, "MPI_Send 1 MiB", true},
    {"get 4 MiB", &kind_get, NULL, {1, 4 << 20, 0, 0}, "MPI_Send 4 MiB", true},
    {"put 64 KiB", &kind_put, run_stream, {1, 64 << 10, 0, 0}, "MPI_Send 64 KiB", true},
    {"put 256 KiB", &kind_put, run_stream, {1, 256 << 10, 0, 0}, "MPI_Send 256 KiB", true},
    {"put 1 MiB", &kind_put, run_stream, {1, 1 << 20, 0, 0}, "MPI_Send 1 MiB", true},
    {"put 4 MiB", &kind_put, run_stream, {1, 4 << 20, 0, 0}, "MPI_Send 4 MiB", true},
    {"getS 1024 x 1 KiB", &kind_get_strided, NULL, {1024, 1024, 2048, 2048}, "get 1 MiB", false},
};

enum { ROWS = sizeof plans / sizeof *plans };

static struct row rows[ROWS];

/* A row of `plans`; `enter` makes these before the rows of the second group. */
static const struct row *row_by_name(const char *name)
{
    for (int i = 0; i < ROWS; i++) {
        if (strcmp(plans[i].name, name) == 0) return &rows[i];
    }
    abort();
}

static struct row row_of(const struct plan *plan)
{
    struct row row = *plan->kind;
    row.name = plan->name;
    row.patch = plan->patch;
    row.beside = plan->versus ? row_by_name(plan->versus) : NULL;
    row.rate = plan->rate;
    row.shortest = SHORTEST_BATCH;
    row.copy = NULL;
    row.step = row.run;
    if (plan->run) row.run = plan->run;
    return row;
}

static bool enter(struct site *site)
{
    for (int i = 0; i < ROWS; i++)
        rows[i] = row_of(&plans[i]);
    return open_communicator(site);
}

/* Operations while the target computes: the first call after a pause, then call after call. */
static const struct plan first_plans[] = {
    {"get 8 B, first", &kind_get, NULL, {1, 8, 0, 0}, ROUND_TRIP, false},
    {"put 8 B + fence, first", &kind_put, run_fenced, {1, 8, 0, 0}, ROUND_TRIP, false},
    {"acc 8 B + fence, first", &kind_acc, run_fenced, {1, 8, 0, 0}, ROUND_TRIP, false},
    {"rmw, first", &kind_rmw, NULL, {0, 0, 0, 0}, ROUND_TRIP, false},
    {"lock + unlock, first", &kind_lock, NULL, {0, 0, 0, 0}, ROUND_TRIP, false},
    {"putS 64 x 512 B + fence, first", &kind_put_strided, run_fenced, {64, 512, 1024, 1024}, ROUND_TRIP, false},
    {"getV 1000 x 8 B, first", &kind_get_vector, NULL, {1000, 8, 16, 16}, ROUND_TRIP, false},
};
static const struct plan steady_plans[] = {
    {"get 8 B, computing", &kind_get, NULL, {1, 8, 0, 0}, ROUND_TRIP, false},
    {"put 8 B + fence, computing", &kind_put, run_fenced, {1, 8, 0, 0}, ROUND_TRIP, false},
    {"acc 8 B + fence, computing", &kind_acc, run_fenced, {1, 8, 0, 0}, ROUND_TRIP, false},
    {"rmw, computing", &kind_rmw, NULL, {0, 0, 0, 0}, ROUND_TRIP, false},
    {"lock + unlock, computing", &kind_lock, NULL, {0, 0, 0, 0}, ROUND_TRIP, false},
    {"put 8 B, computing", &kind_put, NULL, {1, 8, 0, 0}, ROUND_TRIP, false},
    {"get 16 KiB, computing", &kind_get, NULL, {1, 16 << 10, 0, 0}, "get 16 KiB", false},
    {"put 16 KiB + fence, computing", &kind_put, run_fenced, {1, 16 << 10, 0, 0}, "put 16 KiB + fence", false},
    {"get 64 KiB, computing", &kind_get, NULL, {1, 64 << 10, 0, 0}, "get 64 KiB", true},
    {"get 1 MiB, computing", &kind_get, NULL, {1, 1 << 20, 0, 0}, "get 1 MiB", true},
    {"get 4 MiB, computing", &kind_get, NULL, {1, 4 << 20, 0, 0}, "get 4 MiB", true},
    {"put 64 KiB, computing", &kind_put, run_stream, {1, 64 << 10, 0, 0}, "put 64 KiB", true},
    {"put 1 MiB, computing", &kind_put, run_stream, {1, 1 << 20, 0, 0}, "put 1 MiB", true},
    {"put 4 MiB, computing", &kind_put, run_stream, {1, 4 << 20, 0, 0}, "put 4 MiB", true},
    {"getS 64 x 512 B, computing", &kind_get_strided, NULL, {64, 512, 1024, 1024}, "getS 64 x 512 B", false},
    {"accS 64 x 512 B, computing", &kind_acc_strided, run_fenced, {64, 512, 1024, 1024}, "accS 64 x 512 B + fence", false},
};

enum {
    FIRST_ROWS = sizeof first_plans / sizeof *first_plans,
    STEADY_ROWS = sizeof steady_plans / sizeof *steady_plans,
};

static struct row computing_rows[FIRST_ROWS + STEADY_ROWS];

static bool enter_computing(struct site *site)
{
    for (int i = 0; i < FIRST_ROWS; i++) {
        computing_rows[i] = row_of(&first_plans[i]);
        computing_rows[i].who = FIRST;
    }
    for (int i = 0; i < STEADY_ROWS; i++) {
        computing_rows[FIRST_ROWS + i] = row_of(&steady_plans[i]);
        computing_rows[FIRST_ROWS + i].who = STEADY;
    }
    return open_communicator(site);
}

const struct group group_remote = {.word = "remote", .count = ROWS, .rows = rows, .enter = enter, .leave = leave};
const struct group group_computing = {
    .word = "remote", .count = FIRST_ROWS + STEADY_ROWS, .rows = computing_rows, .enter = enter_computing, .leave = leave};
