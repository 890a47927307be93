/* remote.c - operations to another node, compared with plain MPI in the same run; then the short
 * ones while the target computes without library calls. */
#include "plain_mpi.h"
#include "row.h"

#include <armci.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

#define ROUND_TRIP "MPI round trip 8 B"

/* As long as batches of rows with all ranks, which these rows are compared with. */
static const double SHORTEST_BATCH = 2e6;

/* A row: the kind, its run function (NULL: that of the kind), the patch, and the row that it is
 * compared with. */
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
    {"put 8 B + fence", &kind_put, row_run_fenced, {1, 8, 0, 0}, ROUND_TRIP, false},
    {"acc 8 B + fence", &kind_acc, row_run_fenced, {1, 8, 0, 0}, ROUND_TRIP, false},
    {"rmw fetch-and-add long", &kind_rmw, NULL, {0, 0, 0, 0}, ROUND_TRIP, false},
    {"lock + unlock, free", &kind_lock, NULL, {0, 0, 0, 0}, ROUND_TRIP, false},
    {"put 8 B", &kind_put, NULL, {1, 8, 0, 0}, ROUND_TRIP, false},
    {"fence, nothing pending", &kind_fence, NULL, {0, 0, 0, 0}, NULL, false},
    {"barrier", &kind_barrier, NULL, {0, 0, 0, 0}, "MPI_Barrier", false},
    {"get 16 KiB", &kind_get, NULL, {1, 16 << 10, 0, 0}, ROUND_TRIP, false},
    {"put 16 KiB + fence", &kind_put, row_run_fenced, {1, 16 << 10, 0, 0}, ROUND_TRIP, false},
    {"acc 16 KiB + fence", &kind_acc, row_run_fenced, {1, 16 << 10, 0, 0}, ROUND_TRIP, false},
    {"getS 1024 x 16 B", &kind_get_strided, NULL, {1024, 16, 32, 32}, "get 16 KiB", false},
    {"putS 1024 x 16 B + fence",
     &kind_put_strided,
     row_run_fenced,
     {1024, 16, 32, 32},
     "put 16 KiB + fence",
     false},
    {"accS 1024 x 16 B + fence",
     &kind_acc_strided,
     row_run_fenced,
     {1024, 16, 32, 32},
     "acc 16 KiB + fence",
     false},
    {"get 32 KiB", &kind_get, NULL, {1, 32 << 10, 0, 0}, ROUND_TRIP, false},
    {"put 32 KiB + fence", &kind_put, row_run_fenced, {1, 32 << 10, 0, 0}, ROUND_TRIP, false},
    {"acc 32 KiB + fence", &kind_acc, row_run_fenced, {1, 32 << 10, 0, 0}, ROUND_TRIP, false},
    {"getS 64 x 512 B", &kind_get_strided, NULL, {64, 512, 1024, 1024}, "get 32 KiB", false},
    {"putS 64 x 512 B + fence",
     &kind_put_strided,
     row_run_fenced,
     {64, 512, 1024, 1024},
     "put 32 KiB + fence",
     false},
    {"accS 64 x 512 B + fence",
     &kind_acc_strided,
     row_run_fenced,
     {64, 512, 1024, 1024},
     "acc 32 KiB + fence",
     false},
    {"get 64 KiB", &kind_get, NULL, {1, 64 << 10, 0, 0}, "MPI_Send 64 KiB", true},
    {"get 256 KiB", &kind_get, NULL, {1, 256 << 10, 0, 0}, "MPI_Send 256 KiB", true},
    {"get 1 MiB", &kind_get, NULL, {1, 1 << 20, 0, 0}, "MPI_Send 1 MiB", true},
    {"get 4 MiB", &kind_get, NULL, {1, 4 << 20, 0, 0}, "MPI_Send 4 MiB", true},
    {"put 64 KiB", &kind_put, row_run_stream, {1, 64 << 10, 0, 0}, "MPI_Send 64 KiB", true},
    {"put 256 KiB", &kind_put, row_run_stream, {1, 256 << 10, 0, 0}, "MPI_Send 256 KiB", true},
    {"put 1 MiB", &kind_put, row_run_stream, {1, 1 << 20, 0, 0}, "MPI_Send 1 MiB", true},
    {"put 4 MiB", &kind_put, row_run_stream, {1, 4 << 20, 0, 0}, "MPI_Send 4 MiB", true},
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
    (void)site;
    for (int i = 0; i < ROWS; i++)
        rows[i] = row_of(&plans[i]);
    return true;
}

/* Operations while the target computes: the first call after a pause, then call after call. */
static const struct plan first_plans[] = {
    {"get 8 B, first", &kind_get, NULL, {1, 8, 0, 0}, ROUND_TRIP, false},
    {"put 8 B + fence, first", &kind_put, row_run_fenced, {1, 8, 0, 0}, ROUND_TRIP, false},
    {"acc 8 B + fence, first", &kind_acc, row_run_fenced, {1, 8, 0, 0}, ROUND_TRIP, false},
    {"rmw, first", &kind_rmw, NULL, {0, 0, 0, 0}, ROUND_TRIP, false},
    {"lock + unlock, first", &kind_lock, NULL, {0, 0, 0, 0}, ROUND_TRIP, false},
    {"putS 64 x 512 B + fence, first",
     &kind_put_strided,
     row_run_fenced,
     {64, 512, 1024, 1024},
     ROUND_TRIP,
     false},
    {"getV 1000 x 8 B, first", &kind_get_vector, NULL, {1000, 8, 16, 16}, ROUND_TRIP, false},
};
static const struct plan steady_plans[] = {
    {"get 8 B, computing", &kind_get, NULL, {1, 8, 0, 0}, ROUND_TRIP, false},
    {"put 8 B + fence, computing", &kind_put, row_run_fenced, {1, 8, 0, 0}, ROUND_TRIP, false},
    {"acc 8 B + fence, computing", &kind_acc, row_run_fenced, {1, 8, 0, 0}, ROUND_TRIP, false},
    {"rmw, computing", &kind_rmw, NULL, {0, 0, 0, 0}, ROUND_TRIP, false},
    {"lock + unlock, computing", &kind_lock, NULL, {0, 0, 0, 0}, ROUND_TRIP, false},
    {"put 8 B, computing", &kind_put, NULL, {1, 8, 0, 0}, ROUND_TRIP, false},
    {"get 16 KiB, computing", &kind_get, NULL, {1, 16 << 10, 0, 0}, "get 16 KiB", false},
    {"put 16 KiB + fence, computing",
     &kind_put,
     row_run_fenced,
     {1, 16 << 10, 0, 0},
     "put 16 KiB + fence",
     false},
    {"get 64 KiB, computing", &kind_get, NULL, {1, 64 << 10, 0, 0}, "get 64 KiB", true},
    {"get 1 MiB, computing", &kind_get, NULL, {1, 1 << 20, 0, 0}, "get 1 MiB", true},
    {"get 4 MiB, computing", &kind_get, NULL, {1, 4 << 20, 0, 0}, "get 4 MiB", true},
    {"put 64 KiB, computing", &kind_put, row_run_stream, {1, 64 << 10, 0, 0}, "put 64 KiB", true},
    {"put 1 MiB, computing", &kind_put, row_run_stream, {1, 1 << 20, 0, 0}, "put 1 MiB", true},
    {"put 4 MiB, computing", &kind_put, row_run_stream, {1, 4 << 20, 0, 0}, "put 4 MiB", true},
    {"getS 64 x 512 B, computing",
     &kind_get_strided,
     NULL,
     {64, 512, 1024, 1024},
     "getS 64 x 512 B",
     false},
    {"accS 64 x 512 B, computing",
     &kind_acc_strided,
     row_run_fenced,
     {64, 512, 1024, 1024},
     "accS 64 x 512 B + fence",
     false},
};

enum {
    FIRST_ROWS = sizeof first_plans / sizeof *first_plans,
    STEADY_ROWS = sizeof steady_plans / sizeof *steady_plans,
};

static struct row computing_rows[FIRST_ROWS + STEADY_ROWS];

static bool enter_computing(struct site *site)
{
    (void)site;
    for (int i = 0; i < FIRST_ROWS; i++) {
        computing_rows[i] = row_of(&first_plans[i]);
        computing_rows[i].who = FIRST;
    }
    for (int i = 0; i < STEADY_ROWS; i++) {
        computing_rows[FIRST_ROWS + i] = row_of(&steady_plans[i]);
        computing_rows[FIRST_ROWS + i].who = STEADY;
    }
    return true;
}

const struct group group_remote = {.word = "remote", .count = ROWS, .rows = rows, .enter = enter};
const struct group group_computing = {.word = "remote",
                                      .count = FIRST_ROWS + STEADY_ROWS,
                                      .rows = computing_rows,
                                      .enter = enter_computing};
