/* probes.c - the list of all probes, in the order in which they run. */
#include "probes.h"

#include <stddef.h>
#include <string.h>

/* ARMCI as it runs here. */
static const struct probe of_use[] = {
    {"start", "paths in use", SECTION_START, 15, false, probe_start, NULL},
    {"armci", "correct results", SECTION_USED, 20, false, probe_armci, NULL},
    {"armci.progress", "while the target computes", SECTION_USED, 10, false, probe_armci_progress,
     NULL},
    {"armci.speed", "latency, bandwidth", SECTION_USED, 15, false, probe_armci_speed, NULL},
};

/* Calls of MPI on contiguous data, and with datatypes. */
static const struct probe of_calls[] = {
    {"put-get", "Put, Get, contiguous", SECTION_MPI, 8, false, probe_put_get,
     workaround_no_windows},
    {"accumulate", "Accumulate, contiguous", SECTION_MPI, 8, false, probe_accumulate,
     workaround_no_windows},
    {"get-accumulate", "Get_accumulate, contiguous", SECTION_MPI, 8, false, probe_get_accumulate,
     workaround_no_get_accumulate},
    {"requests", "Rput ... Rget_accumulate, cont.", SECTION_MPI, 10, false,
     probe_request_contiguous, workaround_no_requests},
    {"put.types", "Put, derived datatypes", SECTION_MPI, 8, false, probe_put_types,
     workaround_no_windows},
    {"get.types", "Get, derived datatypes", SECTION_MPI, 8, false, probe_get_types,
     workaround_no_windows},
    {"acc.strided", "Accumulate, strided datatypes", SECTION_MPI, 10, false, probe_acc_strided,
     workaround_acc_strided},
    {"acc.indexed", "Accumulate, indexed datatypes", SECTION_MPI, 10, false, probe_acc_indexed,
     workaround_acc_indexed},
    {"rget.types", "Rget, derived datatypes", SECTION_MPI, 8, false, probe_rget_types,
     workaround_no_requests},
    {"negative", "negative strides", SECTION_MPI, 6, false, probe_negative, workaround_negative},
    {"byte-strides", "strides of one byte", SECTION_MPI, 6, false, probe_byte_strides,
     workaround_byte_strides},
};

/* Windows of MPI, and what several processes see in one. */
static const struct probe of_windows[] = {
    {"window.allocate", "Win_allocate, odd sizes", SECTION_MPI, 8, false, probe_allocate_odd,
     workaround_padded},
    {"window.shared", "Win_allocate_shared, odd sizes", SECTION_MPI, 8, false, probe_shared_odd,
     workaround_no_windows},
    {"window.groups", "Win_allocate in groups", SECTION_MPI, 8, false, probe_group_windows,
     workaround_shared_groups},
    {"window.many", "many windows at once", SECTION_MPI, 12, false, probe_many_windows,
     workaround_no_windows},
    {"atomic", "MPI against MPI, one window", SECTION_MPI, 15, false, probe_atomic,
     workaround_no_windows},
    {"atomic.vector", "sums by vector datatypes", SECTION_MPI, 6, false, probe_atomic_vector,
     workaround_acc_strided},
    {"progress", "MPI while the target computes", SECTION_MPI, 8, false, probe_progress, NULL},
    {"visible", "MPI, a target that only looks", SECTION_MPI, 6, false, probe_visible, NULL},
};

/* ARMCI, every path forced in turn, and the routes between nodes. */
static const struct probe of_paths[] = {
    {"path.memfd", "ARMCI_SHM=memfd", SECTION_FORCED, 15, false, probe_forced, NULL},
    {"path.nodes", "ARMCI_NODES=rank", SECTION_FORCED, 15, false, probe_forced, NULL},
    {"path.server", "ARMCI_TRANSPORT=am", SECTION_FORCED, 15, false, probe_forced, NULL},
    {"path.windows", "ARMCI_SHM=no", SECTION_FORCED, 15, false, probe_forced, NULL},
    {"path.indexed", "... iov, IOV_METHOD=direct", SECTION_FORCED, 15, false, probe_forced, NULL},
    {"path.batched", "... iov, IOV_METHOD=batched", SECTION_FORCED, 15, false, probe_forced, NULL},
    {"path.conservative", "... iov, IOV_METHOD=consrv", SECTION_FORCED, 15, false, probe_forced,
     NULL},
    {"path.small", "... DATATYPE_LIMIT=4k, 4 calls", SECTION_FORCED, 15, false, probe_forced, NULL},
    {"path.flush", "... QUIRKS=+remote-flush", SECTION_FORCED, 15, false, probe_forced, NULL},
    {"path.rma", "ARMCI_TRANSPORT=rma", SECTION_FORCED, 15, false, probe_forced, NULL},
    {"advice", "anything better?", SECTION_FORCED, 10, false, probe_advice, NULL},
    {"routes", "the route chosen", SECTION_ROUTES, 25, false, probe_routes, NULL},
};

/* Calls of MPI that may crash or hang. */
static const struct probe of_danger[] = {
    {"late-receives", "receives of arrived messages", SECTION_DANGER, 9, true, probe_late_receives,
     workaround_late_receives},
    {"window.create", "Win_create, odd sizes", SECTION_DANGER, 8, true, probe_create_odd,
     workaround_no_create},
    {"window.dynamic", "Win_create_dynamic", SECTION_DANGER, 8, true, probe_dynamic_odd,
     workaround_dynamic},
    {"getacc.types", "Get_accumulate, datatypes", SECTION_DANGER, 8, true, probe_getacc_types,
     workaround_no_get_accumulate},
    {"outstanding", "2000 puts in flight", SECTION_DANGER, 8, true, probe_outstanding,
     workaround_outstanding},
    {"atomic.indexed", "sums by indexed datatypes", SECTION_DANGER, 6, true, probe_atomic_indexed,
     workaround_acc_indexed},
    {"segments", "accumulate, 58,800 segments", SECTION_DANGER, 8, true, probe_many_segments,
     workaround_segments},
    {"window.create-one", "Win_create on one process", SECTION_DANGER, 6, true, probe_create_one,
     workaround_no_create},
    {"atomic.mixed", "MPI against the processor", SECTION_DANGER, 15, true, probe_atomic_mixed,
     workaround_one_domain},
    {"atomic.windows", "two windows, one memory", SECTION_DANGER, 15, true, probe_atomic_windows,
     workaround_one_window},
    {"atomic.allocate", "MPI against MPI, Win_allocate", SECTION_DANGER, 15, true,
     probe_atomic_allocate, workaround_shared_groups},
    {"atomic.create", "MPI against MPI, Win_create", SECTION_DANGER, 15, true, probe_atomic_create,
     workaround_no_create},
    {"racc.types", "Raccumulate, Rget_accumulate", SECTION_DANGER, 8, true, probe_racc_types,
     workaround_no_requests},
    {"outstanding.rput", "2000 Rputs in flight", SECTION_DANGER, 8, true,
     probe_outstanding_requests, workaround_no_requests},
    {"rput.types", "Rput, derived datatypes", SECTION_DANGER, 8, true, probe_rput_types,
     workaround_no_requests},
};

/* In the order of execution. */
static const struct table {
    const struct probe *first, *end;
} tables[] = {
    {of_use, of_use + sizeof of_use / sizeof *of_use},
    {of_calls, of_calls + sizeof of_calls / sizeof *of_calls},
    {of_windows, of_windows + sizeof of_windows / sizeof *of_windows},
    {of_paths, of_paths + sizeof of_paths / sizeof *of_paths},
    {of_danger, of_danger + sizeof of_danger / sizeof *of_danger},
};
enum { TABLES = sizeof tables / sizeof *tables };

const struct probe *probe_first(void)
{
    return tables[0].first;
}

const struct probe *probe_after(const struct probe *p)
{
    for (int i = 0; i + 1 < TABLES; i++)
        if (p + 1 == tables[i].end) return tables[i + 1].first;
    return p + 1 == tables[TABLES - 1].end ? NULL : p + 1;
}

const struct probe *probe_named(const char *name)
{
    for (const struct probe *p = probe_first(); p; p = probe_after(p))
        if (strcmp(p->name, name) == 0) return p;
    return NULL;
}

const char *section_title(enum section s)
{
    static const char *const titles[] = {
        [SECTION_START] = "Start",
        [SECTION_USED] = "ARMCI as it runs here",
        [SECTION_MPI] = "The MPI library underneath",
        [SECTION_FORCED] = "ARMCI, every path forced in turn",
        [SECTION_ROUTES] = "Between nodes",
        [SECTION_DANGER] = "The MPI library: calls that may crash or hang",
    };
    return titles[s];
}
