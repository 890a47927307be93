/* banner.c - the summary that ARMCI_VERBOSE prints at start. */
#include "api/entry.h"
#include "api/warnings.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/config.h"
#include "base/system.h"
#include "base/log.h"
#include "mpi/quirks.h"
#include "transport/route.h"
#include "node/heap.h"
#include "node/node.h"

/* ---------------------------------------------------------------- the summary ------ */

/* The origin tells which ARMCI a statically linked program has. */
static void say_versions(const char *library)
{
    int major, minor, is_program;
    char origin[1024], first[128];
    MPI_Get_version(&major, &minor);
    armcii_version_line(library, first, sizeof first);
    first[strcspn(first, ",")] = '\0'; /* Open MPI's package */
    armcii_system_library_file(origin, sizeof origin, &is_program);
    const char *how = !*origin ? "" : is_program ? ", linked into " : ", from ";
    armcii_say("ARMCI-RMA %s%s%s, on %s (MPI %d.%d)", PARMCI_RMA_Version(), how, origin, first,
               major, minor);
}

static const char *plural(int count)
{
    return count == 1 ? "" : "s";
}

static void say_ranks(void)
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
        snprintf(each, sizeof each, "%d", most);
    else
        snprintf(each, sizeof each, "%d to %d", fewest, most);
    armcii_system_format_count(armcii_node->cpus.processors, processors, sizeof processors);
    armcii_say("%d rank%s on %d node%s (%s per node); this node: %d rank%s, %s CPU%s", w->size,
               plural(w->size), w->domains, plural(w->domains), each, armcii_node->size,
               plural(armcii_node->size), processors,
               plural(armcii_node->cpus.processors == 1 ? 1 : 2));
}

static void say_paths(void)
{
    armcii_say("within a node: %s", armcii_route->near_doc);
    if (armcii_route->far) armcii_say("between nodes: %s", armcii_route->far_doc);
    if (armcii_route->complaint) armcii_say("%s", armcii_route->complaint);
    armcii_say("asynchronous progress: %s", armcii_route->progress_doc);
}

static void say_memory(void)
{
    char all[32], each[32];
    size_t memory = armcii_memory_left(armcii_heap_touched()),
           processes = (size_t)armcii_node->size;
    armcii_say("memory for regions: %s on this node, %s per rank",
               armcii_system_format_bytes(memory, all, sizeof all),
               armcii_system_format_bytes(memory == SIZE_MAX ? SIZE_MAX : memory / processes, each,
                                          sizeof each));
}

static bool is_known(size_t i, const char *library)
{
    return armcii_config->quirks && armcii_quirk_row(i)->id != NO_REQUESTS &&
           armcii_quirk_is_in_force(i, library, armcii_world->nodes > 1);
}

static bool is_needed(enum workaround workaround, const char *library)
{
    for (size_t i = 0; armcii_quirk_row(i); i++)
        if (armcii_quirk_row(i)->id == workaround && is_known(i, library)) return true;
    return false;
}

__attribute__((format(printf, 3, 4))) static void append(char *list, size_t size,
                                                         const char *format, ...)
{
    va_list args;
    size_t used = strlen(list);
    va_start(args, format);
    if (used > 0 && used + 2 < size) used += (size_t)snprintf(list + used, size - used, ", ");
    vsnprintf(list + used, size - used, format, args);
    va_end(args);
}

/* Named as in ARMCI_QUIRKS. */
static void say_quirks(const char *library)
{
    char list[512] = "";
    for (enum workaround workaround = 0; workaround < WORKAROUNDS; workaround++)
        if (armcii_config->workarounds[workaround] == WORKAROUND_ON ||
            is_needed(workaround, library))
            append(list, sizeof list, "%s", armcii_config_workaround(workaround, NULL));
    if (is_needed(LIMIT_ACC_SEGMENTS, library))
        append(list, sizeof list, "acc-segments=%zu", armcii_quirks->acc_segments);
    if (is_needed(LIMIT_EAGER, library))
        append(list, sizeof list, "ARMCI_EAGER_MAX=%zuk", armcii_quirks->eager_max >> 10);
    if (is_needed(LIMIT_OUTSTANDING, library))
        append(list, sizeof list, "outstanding=%zu", armcii_quirks->outstanding);
    armcii_say("quirks: %s", list[0] ? list : "none");
}

static void say_settings(void)
{
    char list[1024] = "", value[CONFIG_VALUE];
    for (size_t i = 0; armcii_config_entry(i); i++)
        if (!armcii_config_is_default(i))
            append(list, sizeof list, "%s=%s", armcii_config_entry(i)->name,
                   armcii_config_value(i, value, sizeof value, NULL));
    armcii_say("settings: %s", list);
}

/* At most 9 lines. */
static void say_summary(const char *library)
{
    say_versions(library);
    say_ranks();
    say_paths();
    say_memory();
    say_quirks(library);
    say_settings(); /* ARMCI_VERBOSE at least */
}

void armcii_banner(const char *library)
{
    if (armcii_config->verbose == VERBOSE_SUMMARY && armcii_world->rank == 0) say_summary(library);
    armcii_warnings_print(library);
}
