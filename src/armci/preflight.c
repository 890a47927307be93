/* preflight.c - the block that ARMCI_VERBOSE prints, and its warnings. */
#include "armci/preflight.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "armci/entry.h"
#include "base/config.h"
#include "base/system.h"
#include "base/log.h"
#include "mpi/quirks.h"
#include "mpi/version.h"
#include "transport/am/progress_rank.h"
#include "transport/route.h"
#include "transport/shm/node.h"

/* What is scarce: less of it is no reason to stop, but the likely reason of what comes later. */
enum { SCARCE_MEMORY = 256 << 20, SCARCE_MAPPINGS = 1000, OWN_DESCRIPTORS = 64 };

static void say_line(const char *text)
{
    armcii_say("%s", text);
}

/* ---------------------------------------------------------------- the block -------- */

/* Programs are linked statically, too, and then nothing else tells which ARMCI is in them. */
static void say_versions(const char *library)
{
    int major, minor, is_program;
    char origin[1024], first[128];
    MPI_Get_version(&major, &minor);
    armcii_version_line(library, first, sizeof first);
    first[strcspn(first, ",")] = '\0'; /* Open MPI's package */
    armcii_library_file(origin, sizeof origin, &is_program);
    const char *how = !*origin ? "" : is_program ? ", linked into " : ", from ";
    armcii_say("ARMCI-RMA %s%s%s, on %s (MPI %d.%d)", PARMCI_RMA_Version(), how, origin, first, major, minor);
}

#define SET_ASIDE " and a progress rank on each node"
static void say_places(void)
{
    const struct world *w = armcii_world;
    int fewest = w->size, most = 0;
    for (int node = 0; node < w->domains; node++) {
        int size = armcii_domain_size(node);
        if (size < fewest) fewest = size;
        if (size > most) most = size;
    }
    char each[64], processors[32];
    if (fewest == most)
        snprintf(each, sizeof each, "%d on each", most);
    else
        snprintf(each, sizeof each, "%d to %d on each", fewest, most);
    const char *progress_ranks = w->progress_ranks > 0 ? SET_ASIDE : "";
    armcii_say("processes: %d%s, nodes: %d, %s; this node has %d of the processes, and processors: %s", w->size, progress_ranks, w->domains, each,
               armcii_node->size, armcii_limits_count(armcii_node->cpus.processors, processors, sizeof processors));
}

static size_t memory_for_regions(const struct limits *limits)
{
    return armcii_node->kind == SEGMENT_MPI ? limits->memory_to_mpi : limits->memory;
}

static void say_limits(const struct limits *limits)
{
    char all[32], each[32], file[32], descriptors[64], mappings[64];
    size_t memory = memory_for_regions(limits), processes = (size_t)armcii_node->size;
    armcii_say("memory for regions on this node: %s, for each process %s; for one region: %s", armcii_limits_bytes(memory, all, sizeof all),
               armcii_limits_bytes(memory == SIZE_MAX ? SIZE_MAX : memory / processes, each, sizeof each),
               armcii_limits_bytes(armcii_node->kind == SEGMENT_MEMFD ? limits->file : SIZE_MAX, file, sizeof file));
    armcii_say("in use by this process: descriptors %s, mappings %s",
               armcii_limits_use(limits->descriptors_used, limits->descriptors, descriptors, sizeof descriptors),
               armcii_limits_use(limits->mappings_used, limits->mappings, mappings, sizeof mappings));
}

/* Does ARMCI_AVOID_... ask for the row's remedy, whatever the MPI library?  Only of the first row that has this remedy. */
static bool is_asked_for(size_t i)
{
    enum avoidable what = armcii_quirk_row(i)->avoid;
    if (what == AVOIDABLES || armcii_config->avoid[what] != AVOID_YES) return false;
    for (size_t before = 0; before < i; before++)
        if (armcii_quirk_row(before)->avoid == what) return false;
    return true;
}

/* What is avoided in this job; not what the library never does. */
static void say_remedies(const char *library)
{
    for (size_t i = 0; armcii_quirk_row(i); i++) {
        const struct quirk_row *row = armcii_quirk_row(i);
        bool known = armcii_config->quirks && armcii_quirk_is_in_force(i, library, armcii_world->nodes > 1);
        if (known && row->avoid != AVOIDABLES)
            armcii_say("quirk: %s: %s", row->library, row->remedy);
        else if (is_asked_for(i))
            armcii_say("quirk: asked for: %s", row->remedy);
    }
}

static void say_block(const char *library, const struct limits *limits)
{
    say_versions(library);
    say_places();
    armcii_say("inside a node: %s", armcii_route_near_doc());
    if (armcii_route_far_doc()) armcii_say("between nodes: %s", armcii_route_far_doc());
    if (armcii_progress_rank_reason()) armcii_say("ARMCI_PROGRESS=rank: there is no progress rank: %s", armcii_progress_rank_reason());
    say_limits(limits);
    say_remedies(library);
    armcii_config_print(say_line);
}

/* ---------------------------------------------------------------- warnings --------- */

static void warn_of_memory(const struct limits *limits)
{
    char text[32];
    size_t memory = memory_for_regions(limits), processes = (size_t)armcii_node->size;
    if (memory / processes < SCARCE_MEMORY)
        armcii_warn("memory for regions on this node: %s for %zu processes", armcii_limits_bytes(memory, text, sizeof text), processes);
    if (armcii_node->kind == SEGMENT_MEMFD && limits->file < memory)
        armcii_warn("the limit on the length of files (ulimit -f) allows one region no more than %s on this node",
                    armcii_limits_bytes(limits->file, text, sizeof text));
}

/* MPI over TCP has a connection for each process that it talks to on other nodes. */
static void warn_of_descriptors(const struct limits *limits)
{
    char text[64];
    size_t far = (size_t)(armcii_world->size - armcii_node->size), need = limits->descriptors_used + OWN_DESCRIPTORS + far;
    if (limits->descriptors_used == SIZE_MAX || need <= limits->descriptors) return;
    armcii_warn("descriptors (ulimit -n): %s are in use, and MPI may need one for each of %zu processes on other nodes",
                armcii_limits_use(limits->descriptors_used, limits->descriptors, text, sizeof text), far);
}

static void warn_of_mappings(const struct limits *limits)
{
    char text[64];
    if (limits->mappings_used == SIZE_MAX || limits->mappings_used + SCARCE_MAPPINGS <= limits->mappings) return;
    armcii_warn("mappings (vm.max_map_count): %s are in use, and every region needs one",
                armcii_limits_use(limits->mappings_used, limits->mappings, text, sizeof text));
}

/* Nodes are mostly alike: one line is enough. */
static void warn_of_processors(void)
{
    const struct node_cpus *cpus = &armcii_node->cpus;
    if (cpus->oversubscribed)
        armcii_warn("%zu processes share %zu processors%s: whoever waits gives its own away, and hand-overs take longer", cpus->processes,
                    cpus->processors, cpus->processes > cpus->processors ? "" : ", and some are bound to the same ones");
}

/* Memory that is not shared, and operations that wait, though nobody asked for that.  The same on all nodes. */
static void warn_of_ways(void)
{
    bool wanted = armcii_config->progress == PROGRESS_THREAD ||
                  (armcii_config->progress != PROGRESS_NONE && armcii_config->transport != TRANSPORT_RMA && armcii_config->shm != SHM_NO);
    if (armcii_node->kind == SEGMENT_NONE && armcii_world->size > armcii_world->nodes && armcii_config->shm != SHM_NO)
        armcii_warn("the processes of a node cannot share memory (containers?): every operation goes by MPI");
    if (!armcii_route_is_asynchronous() && wanted)
        armcii_warn("operations between nodes may wait until their target calls MPI: servers need MPI_THREAD_MULTIPLE%s",
                    armcii_config->transport == TRANSPORT_RMA && !armcii_quirks->threaded_windows
                        ? ", which this MPI library's windows do not bear"
                        : "");
}

void armcii_preflight(const char *library)
{
    struct limits limits;
    if (!armcii_config->verbose || armcii_node->rank != 0) return;
    armcii_limits_read(&limits);
    if (armcii_world->rank == 0) {
        say_block(library, &limits);
        warn_of_ways();
        warn_of_processors();
    }
    warn_of_memory(&limits);
    warn_of_descriptors(&limits);
    warn_of_mappings(&limits);
}
