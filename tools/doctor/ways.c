/* ways.c - ARMCI with its variables set to each value that changes the way of data. */
#include "ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <armci.h>

#include "area.h"
#include "base/config.h"
#include "lines.h"
#include "transport/am/am.h"
#include "transport/shm/node.h"
#include "mpi/world.h"

enum { MOST_MEASURED = 6 };

/* The ways that were right, with what they cost. */
static struct {
    const struct way *way;
    struct cost cost;
} measured[MOST_MEASURED];
static int measured_ways;
static struct cost in_use;

struct cost *ways_in_use(void)
{
    return &in_use;
}

/* ---------------------------------------------------------------- variables -------- */

static char saved[4][256];

static void name_of(const char *setting, char *name, size_t size)
{
    snprintf(name, size, "%.*s", (int)strcspn(setting, "="), setting);
}

void way_enter(const struct way *w)
{
    char name[64];
    for (int i = 0; i < 4 && w->set[i]; i++) {
        name_of(w->set[i], name, sizeof name);
        snprintf(saved[i], sizeof saved[i], "%s", getenv(name) ? getenv(name) : "");
        setenv(name, strchr(w->set[i], '=') + 1, 1);
    }
}

void way_leave(const struct way *w)
{
    char name[64];
    for (int i = 0; i < 4 && w->set[i]; i++) {
        name_of(w->set[i], name, sizeof name);
        if (saved[i][0])
            setenv(name, saved[i], 1);
        else
            unsetenv(name);
    }
}

/* ---------------------------------------------------------------- the ways --------- */

static bool has_memfd(void)
{
    return armcii_node->kind == SEGMENT_MEMFD;
}
static bool has_mpi_memory(void)
{
    return armcii_node->kind == SEGMENT_MPI;
}
static bool has_servers(void)
{
    return armcii_transports_have(&armcii_am);
}
static bool has_windows(void)
{
    return armcii_node->kind == SEGMENT_NONE || (armcii_world->nodes > 1 && !armcii_transports_have(&armcii_am));
}
static bool has_rma_between_nodes(void)
{
    return armcii_world->nodes > 1 && !armcii_transports_have(&armcii_am);
}
static bool has_own_windows(void)
{
    return has_windows() && armcii_quirks->window_over_own_memory;
}

static const struct way memfd = {"ARMCI_SHM=memfd", {"ARMCI_SHM=memfd"}, has_memfd, true};
static const struct way mpi_memory = {"ARMCI_SHM=mpi", {"ARMCI_SHM=mpi"}, has_mpi_memory, true};
static const struct way server = {"ARMCI_TRANSPORT=am", {"ARMCI_TRANSPORT=am"}, has_servers, true};
static const struct way rma = {"ARMCI_TRANSPORT=rma", {"ARMCI_TRANSPORT=rma"}, has_rma_between_nodes, true};
static const struct way windows = {
    "ARMCI_SHM=no", {"ARMCI_SHM=no", "ARMCI_STRIDED_METHOD=subarray"}, has_windows, true};
static const struct way create = {
    "ARMCI_USE_WIN_ALLOCATE=no", {"ARMCI_SHM=no", "ARMCI_USE_WIN_ALLOCATE=no"}, has_own_windows, true};
static const struct way hvector = {"hvector", {"ARMCI_SHM=no", "ARMCI_STRIDED_METHOD=hvector"}, has_windows, false};
static const struct way indexed = {
    "iov direct", {"ARMCI_SHM=no", "ARMCI_STRIDED_METHOD=iov", "ARMCI_IOV_METHOD=direct"}, has_windows, false};
static const struct way batched = {
    "iov batched", {"ARMCI_SHM=no", "ARMCI_STRIDED_METHOD=iov", "ARMCI_IOV_METHOD=batched"}, has_windows, false};
static const struct way conservative = {
    "iov consrv", {"ARMCI_SHM=no", "ARMCI_STRIDED_METHOD=iov", "ARMCI_IOV_METHOD=consrv"}, has_windows, false};
static const struct way small_types = {
    "small datatypes", {"ARMCI_SHM=no", "ARMCI_DATATYPE_LIMIT=4k", "ARMCI_OUTSTANDING_LIMIT=4"}, has_windows, false};
static const struct way flush = {"no flush_local", {"ARMCI_SHM=no", "ARMCI_NO_FLUSH_LOCAL=yes"}, has_windows, false};
static const struct way rank_nodes = {"nodes of one rank", {"ARMCI_NODES=rank"}, NULL, false};

/* ---------------------------------------------------------------- one way ---------- */

/* Is it what the environment as it is comes to? */
static bool is_in_use(const struct way *w)
{
    if (w == &memfd) return use.memfd && use.nodes == 1;
    if (w == &mpi_memory) return use.mpi;
    if (w == &server) return use.servers;
    if (w == &rma) return use.nodes > 1 && !use.servers && use.memfd;
    return w == &windows && use.windows && !use.memfd && !use.mpi;
}

/* The same was measured twice: others may have used the machine meanwhile. */
static void take_better(struct cost *a, const struct cost *b)
{
    for (int i = 0; i < SPEEDS; i++)
        if (b->microseconds[i] < a->microseconds[i]) a->microseconds[i] = b->microseconds[i];
}

static void measure(struct finding *f, const struct way *w)
{
    double ms[4];
    struct cost cost;
    if (measured_ways == MOST_MEASURED) return;
    cost_measure(w->name, 0.01, &cost);
    cost_busy(0.12, ms);
    cost.asynchronous = ms[0] < 80 && ms[1] < 80 && ms[2] < 80 && ms[3] < 80;
    if (is_in_use(w)) take_better(&in_use, &cost);
    measured[measured_ways].way = w;
    measured[measured_ways++].cost = cost;
    tell(f, "%ld checks; put %.1f, get %.1f, accumulate %.1f us; get 1 MiB %.0f MiB/s; %s", f->tried,
         cost.microseconds[0], cost.microseconds[1], cost.microseconds[2], 1e6 / cost.microseconds[6],
         cost.asynchronous ? "asynchronous" : "waits for the target");
}

/* Do all ranks agree that it is right so far? */
static bool right_everywhere(const struct finding *f)
{
    long wrong;
    MPI_Allreduce(&f->wrong, &wrong, 1, MPI_LONG, MPI_SUM, job->comm);
    return wrong == 0;
}

static void run(struct finding *f, const struct way *w)
{
    model_run(f, 0.4, 7);
    contention_run(f);
    tell(f, "%ld checks", f->tried);
    if (w->measured && right_everywhere(f)) measure(f, w);
}

static bool wants_windows(const struct way *w)
{
    return w->possible == has_mpi_memory || w->possible == has_windows || w->possible == has_own_windows ||
           w->possible == has_rma_between_nodes;
}

static void try_way(struct finding *f, const struct way *w)
{
    if (wants_windows(w) && !area_possible(f)) return;
    way_enter(w);
    ARMCI_Init();
    if (w->possible && !w->possible())
        leave_out(f, "has no effect here");
    else
        run(f, w);
    ARMCI_Finalize();
    way_leave(w);
}

void probe_way_memfd(struct finding *f)
{
    try_way(f, &memfd);
}
void probe_way_mpi_memory(struct finding *f)
{
    try_way(f, &mpi_memory);
}
void probe_way_server(struct finding *f)
{
    try_way(f, &server);
}
void probe_way_rma(struct finding *f)
{
    try_way(f, &rma);
}
void probe_way_windows(struct finding *f)
{
    try_way(f, &windows);
}
void probe_way_create(struct finding *f)
{
    try_way(f, &create);
}
void probe_way_hvector(struct finding *f)
{
    try_way(f, &hvector);
}
void probe_way_indexed(struct finding *f)
{
    try_way(f, &indexed);
}
void probe_way_batched(struct finding *f)
{
    try_way(f, &batched);
}
void probe_way_conservative(struct finding *f)
{
    try_way(f, &conservative);
}
void probe_way_small_types(struct finding *f)
{
    try_way(f, &small_types);
}
void probe_way_flush(struct finding *f)
{
    try_way(f, &flush);
}
void probe_way_rank_nodes(struct finding *f)
{
    try_way(f, &rank_nodes);
}

/* ---------------------------------------------------------------- advice ----------- */

/* By 30 percent in the geometric mean of all measurements, and no less asynchronous; or asynchronous, and not as much
 * slower. */
static bool is_clearly_better(const struct cost *a, const struct cost *b)
{
    double product = 1, limit = 1;
    for (int i = 0; i < SPEEDS; i++) {
        product *= a->microseconds[i] / b->microseconds[i];
        limit *= 1.3;
    }
    return (b->asynchronous && !a->asynchronous && product * limit > 1) ||
           (b->asynchronous >= a->asynchronous && product > limit);
}

void probe_advice(struct finding *f)
{
    const struct cost *best = &in_use;
    const struct way *way = NULL;
    f->note = true;
    for (int i = 0; i < measured_ways && in_use.microseconds[0] > 0; i++) {
        if (is_in_use(measured[i].way) || !is_clearly_better(best, &measured[i].cost)) continue;
        best = &measured[i].cost;
        way = measured[i].way;
    }
    if (!way) {
        tell(f, "nothing that was measured is clearly better than what is in use: set no variable");
        return;
    }
    tell(f, "%s is clearly better here than what is in use", way->name);
    for (int i = 0; i < 4 && way->set[i] && job->rank == 0; i++)
        line_write("advice\tBetter here: export %s", way->set[i]);
}
