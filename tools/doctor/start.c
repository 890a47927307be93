/* start.c - the first probe: the MPI library, the job and the paths in use. */
#include "probes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <armci.h>

#include "base/config.h"
#include "base/lock.h"
#include "mem/lookup.h"
#include "lines.h"
#include "transport/am/am.h"
#include "node/node.h"
#include "mpi/world.h"
#include "worker.h"
#include "core/op.h"

struct use use;

/* Open MPI's osc/pt2pt refuses windows if threads are allowed. */
static bool makes_windows(void)
{
    char *base;
    MPI_Win win;
    int failed = MPI_Win_allocate(4096, 1, MPI_INFO_NULL, job->comm, &base, &win) != MPI_SUCCESS,
        any;
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, job->comm);
    if (!failed && !any) MPI_Win_free(&win);
    return !any;
}

/* ---------------------------------------------------------------- facts ------------ */

static const char *level_name(int level)
{
    return level == MPI_THREAD_MULTIPLE     ? "MULTIPLE"
           : level == MPI_THREAD_SERIALIZED ? "SERIALIZED"
           : level == MPI_THREAD_FUNNELED   ? "FUNNELED"
                                            : "SINGLE";
}

static void tell_library(void)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length, major, minor;
    MPI_Get_library_version(library, &length);
    MPI_Get_version(&major, &minor);
    for (char *c = library; *c; c++)
        if (*c == '\t') *c = ' ';
    line_write("fact\tARMCI\tARMCI-RMA %s", ARMCI_RMA_Version());
    line_write("fact\tMPI\t%.*s (MPI %d.%d)", (int)strcspn(library, "\r\n"), library, major, minor);
    line_write("fact\tthreads\tMPI_Init gives MPI_THREAD_%s", level_name(job->level));
    line_write("fact\tjob\t%d processes on %d node%s", job->size, job->nodes,
               job->nodes == 1 ? "" : "s");
}

/* The variables that are set. */
static void tell_environment(void)
{
    char text[300] = "", value[CONFIG_VALUE];
    size_t used = 0;
    bool set;
    for (size_t i = 0; armcii_config_entry(i); i++) {
        armcii_config_value(i, value, sizeof value, &set);
        if (!set || used > sizeof text - 60) continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s=%.60s", used ? " " : "",
                                 armcii_config_entry(i)->name, value);
        if (used >= sizeof text) used = sizeof text - 1;
    }
    line_write("fact\tset\t%s", text[0] ? text : "no ARMCI_ variable");
}

static void tell_quirks(void)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length, n = 0;
    MPI_Get_library_version(library, &length);
    for (size_t i = 0; armcii_quirk_row(i); i++)
        n += armcii_quirk_is_in_force(i, library, job->nodes > 1);
    line_write("fact\tknown defects\t%d of this library%s; armci-info prints them", n,
               armcii_config->quirks ? "" : ", NOT avoided (ARMCI_QUIRKS=none)");
}

/* ---------------------------------------------------------------- paths ------------ */

/* The path of an operation on doubles at `address` of `target`; executes it, with zeros. */
static const char *path_of(enum op_kind kind, bool strided, int target, char *address, char *local)
{
    struct op op = {.caller = "armci-doctor", .verb = {kind, ELEMENT_DOUBLE}, .target = target};
    struct request req;
    unsigned long before[PATHS];
    if (strided)
        armcii_shape_strided(&op.shape, local, (int[]){64}, address, (int[]){128}, (int[]){32, 8},
                             1);
    else
        armcii_shape_contiguous(&op.shape, local, address, 1024);
    armcii_shape_range(&op.shape, SHAPE_REMOTE, &op.lo, &op.hi);
    armcii_lock_enter(); /* the progress thread runs */
    for (int path = 0; path < PATHS; path++)
        before[path] = atomic_load(&armcii_counters[path]);
    bool started = armcii_op_start(&op, &req) == 0;
    if (started) armcii_op_wait(&req);
    armcii_lock_exit();
    for (int path = 0; path < PATHS; path++)
        if (atomic_load(&armcii_counters[path]) != before[path]) return armcii_path_names[path];
    return started ? "direct" : "none";
}

static void tell_paths_to(int target, const char *name, char **base, char *local)
{
    char *there = base[target];
    line_write("fact\t%s\tcontiguous: %s, strided: %s, strided accumulate: %s", name,
               path_of(OP_PUT, false, target, there, local),
               path_of(OP_PUT, true, target, there, local),
               path_of(OP_ACC, true, target, there, local));
}

static void tell_paths(void)
{
    static char local[4096];
    char **base = malloc((size_t)job->size * sizeof *base);
    ARMCI_Malloc((void **)base, 4096);
    int here = -1, away = -1;
    for (int p = 0; p < job->size; p++) {
        if (p == job->rank) continue;
        if (armcii_world->node_of[p] == armcii_world->node_of[job->rank])
            here = p;
        else
            away = p;
    }
    if (here >= 0) tell_paths_to(here, "inside a node", base, local);
    if (away >= 0) tell_paths_to(away, "between nodes", base, local);
    ARMCI_Free(base[job->rank]);
    free(base);
}

static void note_use(void)
{
    use.nodes = armcii_world->nodes;
    use.shared = armcii_node->shares_memory;
    use.servers = armcii_transports_have(&armcii_am);
    use.windows = !armcii_node->shares_memory ||
                  (armcii_world->nodes > 1 && !armcii_transports_have(&armcii_am) && !job->plain);
    use.quirks = *armcii_quirks;
}

static const char *memory_name(void)
{
    return use.shared ? "shared memory (memfd)" : "MPI windows";
}

/* In the order of the table's head. */
void probe_start(struct finding *f)
{
    worker_note_windows(makes_windows());
    ARMCI_Init();
    note_use();
    if (job->rank == 0) {
        tell_library();
        tell_environment();
        tell_quirks();
    }
    limits_tell();
    if (!job->probing) tell_paths();
    ARMCI_Finalize();
    tell(f, "%s%s%s", memory_name(), use.nodes > 1 ? "; between nodes " : "",
         use.nodes == 1 ? ""
         : use.servers  ? "servers"
                        : "MPI windows");
    found(f, true, "start");
}
