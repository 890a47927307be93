/* warnings.c - the table of warnings that every job may print at start. */
#include "api/warnings.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "mpi/coll.h"
#include "mpi/launch.h"
#include "mpi/quirks.h"
#include "mpi/world.h"
#include "transport/route.h"
#include "node/node.h"

/* ---------------------------------------------------------------- the table -------- */

static long is_alone(const struct job_facts *s)
{
    return s->launched;
}

static bool waits_for_targets(const struct job_facts *s)
{
    return s->nodes > 1 && !s->asynchronous && s->progress != PROGRESS_NONE;
}

static long lacks_threads(const struct job_facts *s)
{
    return waits_for_targets(s) && (!s->threads || s->refused) ? 1 + s->refused : 0;
}

static void describe_threads(const struct job_facts *s, long severity, char *text, size_t size)
{
    (void)s;
    snprintf(text, size, "%s: operations between nodes wait until their target calls MPI",
             severity > 1 ? "the system gives a process no thread, or no descriptor for it (ulimit "
                            "-u and -n; pids.max of a container)"
                          : "no MPI_THREAD_MULTIPLE");
}

/* The obstacle, behind none, which another process has. */
static long cannot_share(const struct job_facts *s)
{
    bool can = s->ranks == 1 || s->allowed != SHM_AUTO || s->shares_memory;
    return can ? 0 : 1 + (long)s->obstacle;
}

static void describe_memfd(const struct job_facts *s, long severity, char *text, size_t size)
{
    static const char *const obstacles[] = {
        [OBSTACLE_NONE] = "another process fails",
        [OBSTACLE_FILE] = "the system makes none, or files are limited by ulimit -f",
        [OBSTACLE_PASSAGE] = "a process can neither open that of another by /proc nor get it over "
                             "a socket of its network namespace",
        [OBSTACLE_MAPPING] = "it cannot be mapped at the same addresses",
        [OBSTACLE_LIMIT] = "addresses are limited by ulimit -v",
        [OBSTACLE_LOCK] = "mlockall would lock all of it, and locked memory is limited by "
                          "ulimit -l"};
    snprintf(text, size,
             "the processes of a node cannot share memory by memfd (%s): all operations use MPI "
             "RMA%s",
             obstacles[severity - 1], s->nodes > 1 ? ", and nodes have no servers" : "");
}

/* The number of processes for each processor; 1: there are enough processors, but some processes
 * are bound to the same ones. */
static long oversubscribes(const struct job_facts *s)
{
    return s->oversubscribed ? (long)((s->processes + s->processors - 1) / s->processors) : 0;
}

static void describe_load(const struct job_facts *s, long severity, char *text, size_t size)
{
    (void)s;
    if (severity > 1)
        snprintf(text, size, "up to %ld processes share a processor", severity);
    else
        snprintf(text, size, "some processes are bound to the same processors");
}

static long has_unknown_mpi(const struct job_facts *s)
{
    return s->unknown_mpi != NULL;
}

static void describe_mpi(const struct job_facts *s, long severity, char *text, size_t size)
{
    (void)severity;
    snprintf(text, size,
             "the defects of this MPI library (%s) are unknown, so no workarounds are in use",
             s->unknown_mpi ? s->unknown_mpi : "of another process");
}

/* A name that is added here is explained in doc/troubleshooting.md, "Warnings". */
static const struct warning table[] = {
    {"alone", is_alone,
     "the launcher started %ld processes, but MPI sees only one: each runs alone", NULL,
     "srun --mpi=pmi2 (MPICH) or --mpi=pmix (Open MPI), or the mpiexec of the program's MPI "
     "library",
     OF_JOB},
    {"no-threads", lacks_threads, NULL, describe_threads,
     "start every rank with MPI_Init_thread or ARMCI_Init_thread and MPI_THREAD_MULTIPLE, where "
     "the system gives threads",
     OF_JOB},
    {"no-memfd", cannot_share, NULL, describe_memfd,
     "no ulimit -v and -f, no mlockall with a limit; all ranks of a node in one container, or at "
     "least in one network namespace",
     OF_JOB},
    {"oversubscribed", oversubscribes, NULL, describe_load,
     "no more ranks than processors on a node, each bound to its own (mpiexec --bind-to core, srun "
     "--cpu-bind=cores)",
     OF_NODE},
    {"unknown-mpi", has_unknown_mpi, NULL, describe_mpi,
     "run armci-doctor; set the workarounds that it names by ARMCI_QUIRKS", OF_JOB},
};
enum { WARNINGS = sizeof table / sizeof table[0] };

const struct warning *armcii_warning(size_t i)
{
    return i < WARNINGS ? &table[i] : NULL;
}

void armcii_warning_describe(const struct warning *w, const struct job_facts *s, long severity,
                             char *text, size_t size)
{
    if (w->describe)
        w->describe(s, severity, text, size);
    else
        snprintf(text, size, w->text, severity);
}

/* ---------------------------------------------------------------- this job --------- */

static struct job_facts observe(const char *first_line, const char *library)
{
    int version;
    return (struct job_facts){
        .launched = armcii_launch_alone(),
        .unknown_mpi =
            armcii_config->quirks && !armcii_quirks_library(library, &version) ? first_line : NULL,
        .ranks = armcii_world->size,
        .nodes = armcii_world->nodes,
        .threads = armcii_route->has_threads,
        .refused = armcii_route->lacks_thread,
        .asynchronous = armcii_route->is_asynchronous,
        .progress = armcii_config->progress,
        .allowed = armcii_config->shm,
        .shares_memory = armcii_node->shares_memory,
        .obstacle = armcii_node->obstacle,
        .processes = (size_t)armcii_node->size,
        .processors = armcii_node->cpus.processors,
        .oversubscribed = armcii_node->cpus.oversubscribed,
    };
}

static void print(const struct warning *w, const struct job_facts *s, long severity, int rank)
{
    char text[512], where[64] = "";
    armcii_warning_describe(w, s, severity, text, sizeof text);
    if (w->scope == OF_NODE) snprintf(where, sizeof where, ", on the node of rank %d", rank);
    armcii_warn_of_job("[%s] %s%s; remedy: %s", w->name, text, where, w->remedy);
}

void armcii_warnings_print(const char *library)
{
    struct {
        long severity;
        int rank;
    } mine[WARNINGS], worst[WARNINGS];
    char first_line[128];
    memset(mine, 0, sizeof mine); /* padding, too */
    armcii_version_line(library, first_line, sizeof first_line);
    struct job_facts s = observe(first_line, library);
    for (size_t i = 0; i < WARNINGS; i++) {
        mine[i].severity = table[i].severity(&s);
        mine[i].rank = armcii_world->rank;
    }
    armcii_coll_allreduce(mine, worst, WARNINGS, MPI_LONG_INT, MPI_MAXLOC, armcii_world->comm);
    if (armcii_world->rank != 0 || armcii_config->verbose == VERBOSE_SILENT) return;
    for (size_t i = 0; i < WARNINGS; i++)
        if (worst[i].severity > 0) print(&table[i], &s, worst[i].severity, worst[i].rank);
}
