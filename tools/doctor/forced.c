/* forced.c - ARMCI with the unchanged environment (correctness, asynchronous progress, cost), and
 * with its variables set to each value that changes the path of data. */
#include "probes.h"

#include <stdlib.h>
#include <string.h>

#include <armci.h>

#include "area.h"
#include "environment.h"
#include "lines.h"
#include "transport/am/am.h"
#include "node/node.h"
#include "mpi/world.h"

enum { MOST_MEASURED = 6, MOST_VARIABLES = 4 };

struct setting {
    const char *probe, *name;
    const char *set[MOST_VARIABLES]; /* "NAME=VALUE" */
    bool (*possible)(
        void); /* called after ARMCI_Init; true if the setting has an effect here; NULL: always */
    bool measured; /* compared with the path in use */
};

/* The settings that were correct, with their costs. */
static struct {
    const struct setting *setting;
    struct cost cost;
} measured[MOST_MEASURED];
static int n_measured;
static struct cost in_use;

/* ---------------------------------------------------------------- in use ----------- */

#define BUSY 0.25

void probe_armci(struct finding *f)
{
    ARMCI_Init();
    model_run(f, 2.5, 1);
    contention_run(f);
    ARMCI_Finalize();
    tell(f, "%ld checks of put, get, accumulate, rmw, mutexes, notifications", f->tried);
}

void probe_armci_progress(struct finding *f)
{
    double ms[4];
    f->note = true;
    ARMCI_Init();
    cost_busy(BUSY, ms);
    ARMCI_Finalize();
    in_use.asynchronous = tell_waiting(f, ms, "rmw", BUSY) == 0;
}

void probe_armci_speed(struct finding *f)
{
    f->note = true;
    ARMCI_Init();
    cost_measure("in use", 0.04, &in_use);
    ARMCI_Finalize();
    const double *us = in_use.microseconds;
    tell(f,
         "put %.*f, get %.*f, accumulate %.*f, rmw %.*f us; 1 MiB: put %.0f, get %.0f, accumulate "
         "%.0f MiB/s",
         decimals(us[0]), us[0], decimals(us[1]), us[1], decimals(us[2]), us[2], decimals(us[3]),
         us[3], 1e6 / us[5], 1e6 / us[6], 1e6 / us[7]);
}

/* ---------------------------------------------------------------- settings --------- */

static bool has_shared_memory(void)
{
    return armcii_node->shares_memory;
}
static bool has_servers(void)
{
    return armcii_transports_have(&armcii_am);
}
static bool has_windows(void)
{
    return !armcii_node->shares_memory ||
           (armcii_world->nodes > 1 && !armcii_transports_have(&armcii_am));
}
static bool has_rma_between_nodes(void)
{
    return armcii_world->nodes > 1 && !armcii_transports_have(&armcii_am);
}

static const struct setting settings[] = {
    {"path.memfd", "ARMCI_SHM=memfd", {"ARMCI_SHM=memfd"}, has_shared_memory, true},
    {"path.nodes", "nodes of one rank", {"ARMCI_NODES=rank"}, NULL, false},
    {"path.server", "ARMCI_TRANSPORT=am", {"ARMCI_TRANSPORT=am"}, has_servers, true},
    {"path.windows", "ARMCI_SHM=no", {"ARMCI_SHM=no"}, has_windows, true},
    {"path.indexed",
     "iov direct",
     {"ARMCI_SHM=no", "ARMCI_STRIDED_METHOD=iov", "ARMCI_IOV_METHOD=direct"},
     has_windows,
     false},
    {"path.batched",
     "iov batched",
     {"ARMCI_SHM=no", "ARMCI_STRIDED_METHOD=iov", "ARMCI_IOV_METHOD=batched"},
     has_windows,
     false},
    {"path.conservative",
     "iov consrv",
     {"ARMCI_SHM=no", "ARMCI_STRIDED_METHOD=iov", "ARMCI_IOV_METHOD=consrv"},
     has_windows,
     false},
    {"path.small",
     "small datatypes",
     {"ARMCI_SHM=no", "ARMCI_DATATYPE_LIMIT=4k", "ARMCI_OUTSTANDING_LIMIT=4"},
     has_windows,
     false},
    {"path.flush",
     "no flush_local",
     {"ARMCI_SHM=no", "ARMCI_QUIRKS=+remote-flush"},
     has_windows,
     false},
    {"path.rma", "ARMCI_TRANSPORT=rma", {"ARMCI_TRANSPORT=rma"}, has_rma_between_nodes, true},
};

static const struct setting *setting_of(const struct probe *probe)
{
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        if (strcmp(settings[i].probe, probe->name) == 0) return &settings[i];
    abort(); /* probes.c has a probe that is missing here */
}

/* ---------------------------------------------------------------- probes ----------- */

/* True if the unchanged environment leads to the same path. */
static bool is_in_use(const struct setting *s)
{
    if (s->possible == has_shared_memory) return use.shared && use.nodes == 1;
    if (s->possible == has_servers) return use.servers;
    if (s->possible == has_rma_between_nodes) return use.nodes > 1 && !use.servers && use.shared;
    return s->possible == has_windows && s->measured && use.windows && !use.shared;
}

/* Two measurements of the same path: other work on the machine makes one of them slower. */
static void take_better(struct cost *a, const struct cost *b)
{
    for (int i = 0; i < SPEEDS; i++)
        if (b->microseconds[i] < a->microseconds[i]) a->microseconds[i] = b->microseconds[i];
}

static void measure(struct finding *f, const struct setting *s)
{
    double ms[4];
    struct cost cost;
    if (n_measured == MOST_MEASURED) return;
    cost_measure(s->name, 0.01, &cost);
    cost_busy(0.12, ms);
    cost.asynchronous = ms[0] < 80 && ms[1] < 80 && ms[2] < 80 && ms[3] < 80;
    if (is_in_use(s)) take_better(&in_use, &cost);
    measured[n_measured].setting = s;
    measured[n_measured++].cost = cost;
    const double *us = cost.microseconds;
    tell(f, "%ld checks; put %.*f, get %.*f, accumulate %.*f us; get 1 MiB %.0f MiB/s; %s",
         f->tried, decimals(us[0]), us[0], decimals(us[1]), us[1], decimals(us[2]), us[2],
         1e6 / us[6], cost.asynchronous ? "asynchronous" : "waits for the target");
}

/* Collective. True if no rank has found an error so far. */
static bool correct_everywhere(const struct finding *f)
{
    long wrong;
    MPI_Allreduce(&f->wrong, &wrong, 1, MPI_LONG, MPI_SUM, job->comm);
    return wrong == 0;
}

static void run(struct finding *f, const struct setting *s)
{
    model_run(f, 0.4, 7);
    contention_run(f);
    tell(f, "%ld checks", f->tried);
    if (s->measured && correct_everywhere(f)) measure(f, s);
}

static bool wants_windows(const struct setting *s)
{
    return s->possible == has_windows || s->possible == has_rma_between_nodes;
}

void probe_forced(struct finding *f)
{
    const struct setting *s = setting_of(f->probe);
    if (wants_windows(s) && !area_possible(f)) return;
    for (int i = 0; i < MOST_VARIABLES && s->set[i]; i++)
        environment_set(s->set[i]);
    ARMCI_Init();
    if (s->possible && !s->possible())
        leave_out(f, "has no effect here");
    else
        run(f, s);
    ARMCI_Finalize();
    environment_restore();
}

/* ---------------------------------------------------------------- advice ----------- */

/* True if b is better than a by 30 percent in the geometric mean of all measurements and not less
 * asynchronous, or asynchronous where a is not and not slower by as much? */
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
    const struct setting *better = NULL;
    f->note = true;
    for (int i = 0; i < n_measured && in_use.microseconds[0] > 0; i++) {
        if (is_in_use(measured[i].setting) || !is_clearly_better(best, &measured[i].cost)) continue;
        best = &measured[i].cost;
        better = measured[i].setting;
    }
    if (!better) {
        tell(f, "no measured setting is clearly better than the default: set no variable");
        return;
    }
    tell(f, "%s is clearly better here than the default", better->name);
    for (int i = 0; i < MOST_VARIABLES && better->set[i] && job->rank == 0; i++)
        line_write("advice\tBetter here: export %s", better->set[i]);
}
