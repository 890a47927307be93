/* remote.c - operations towards another node, against plain MPI in the same run; and the short ones once more while the
 * target computes without a call. */
#include "group.h"
#include "kinds.h"
#include "plain.h"

#include <armci.h>
#include <stdlib.h>
#include <string.h>

#define ROUND_TRIP "MPI round trip 8 B"

/* Batches as long as those of the rows of all ranks, to which these are compared. */
static const double SHORTEST_BATCH = 2e6;

static void run_fenced(const struct row *row, const struct site *site, long times)
{
    for (long i = 0; i < times; i++) {
        row->step(row, site, 1);
        ARMCI_Fence(site->target);
    }
}

/* As a stream of messages, whose end is known when the last one is there. */
static void run_stream(const struct row *row, const struct site *site, long times)
{
    row->step(row, site, times);
    ARMCI_Fence(site->target);
}

/* A row: what is called, what the run makes of it (NULL: nothing), what it moves, what it is compared with. */
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
    {"get 256 KiB", &kind_get, NULL, {1, 256 << 10, 0, 0}, "MPI_Send 256 KiB", true},
    {"get 1 MiB", &kind_get, NULL, {1, 1 << 20, 0, 0}, "MPI_Send 1 MiB", true},
    {"get 4 MiB", &kind_get, NULL, {1, 4 << 20, 0, 0}, "MPI_Send 4 MiB", true},
    {"put 256 KiB", &kind_put, run_stream, {1, 256 << 10, 0, 0}, "MPI_Send 256 KiB", true},
    {"put 1 MiB", &kind_put, run_stream, {1, 1 << 20, 0, 0}, "MPI_Send 1 MiB", true},
    {"put 4 MiB", &kind_put, run_stream, {1, 4 << 20, 0, 0}, "MPI_Send 4 MiB", true},
    {"getS 1024 x 1 KiB", &kind_get_strided, NULL, {1024, 1024, 2048, 2048}, "get 1 MiB", false},
};

enum { ROWS = sizeof plans / sizeof *plans };

static struct row rows[ROWS];

/* One of the rows of `plans`; `enter` makes them, before the group of rows that compute. */
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
    return plain_open(site);
}

static void leave(struct site *site)
{
    (void)site;
    plain_close();
}

/* The short operations once more: the first call after a silence, then call after call. */
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
    return plain_open(site);
}

const struct group group_remote = {.word = "remote", .count = ROWS, .rows = rows, .enter = enter, .leave = leave};
const struct group group_computing = {
    .word = "remote", .count = FIRST_ROWS + STEADY_ROWS, .rows = computing_rows, .enter = enter_computing, .leave = leave};
