/* quirks.c - the table of known defects of MPI libraries. */
#include "mpi/quirks.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/system.h"

#define V(major, minor, patch) ((major)*10000 + (minor)*100 + (patch))
static const int LATEST = V(9999, 0, 0); /* Intel counts years */

static const struct quirk_row table[] = {
    {"MPICH", V(4, 0, 0), V(4, 0, 99), QUIRK_ANYWHERE, NULL,
     "MPI_Win_allocate with a slice that is not a multiple of 16 bytes: transfers reach wrong "
     "addresses, silently",
     "slices are padded to whole pages", "MPICH issue 6110; measured on 4.0.2 (ch4:ucx)",
     WORKAROUND_PAD_SLICES},
    {"MPICH", V(3, 0, 0), LATEST, QUIRK_ANYWHERE, NULL,
     "noncontiguous MPI_Rget (over UCX; 5.0 over OFI) and MPI_Rput (before 5.0 over UCX) complete "
     "too early; "
     "noncontiguous MPI_Rput over OFI crashes (4.3 to 5.0.1)",
     "no request-based calls: plain calls, then a flush",
     "measured on 4.0.2, 4.3.2, 5.0.0 to 5.0.2", NO_REQUESTS},
    {"MPICH", V(3, 0, 0), LATEST, QUIRK_ANYWHERE, "ucx",
     "accumulates whose datatype has very many segments exceed the message header of UCX and abort",
     "at most 256 segments in one accumulate's datatype", "MPICH issue 7886", LIMIT_ACC_SEGMENTS},
    {"MPICH", V(3, 0, 0), LATEST, QUIRK_SEVERAL_NODES, NULL,
     "sending a vector datatype between nodes takes three times as long as sending as many "
     "contiguous bytes",
     "the library packs strided puts, in fragments", "measured on 4.0.2 (ch4:ucx)",
     WORKAROUND_PACK_PUTS},
    {"MPICH", V(3, 0, 0), LATEST, QUIRK_SEVERAL_NODES, NULL,
     "a message of more than 17 KiB uses a rendezvous with the receiver: three times the time of a "
     "shorter one",
     "eager messages of at most 16 KiB", "measured on 4.0.2 (ch4:ucx)", LIMIT_EAGER},
    {"MPICH", V(3, 3, 0), V(4, 1, 99), QUIRK_ANYWHERE, "ucx",
     "over TCP, which it may use on one node, too, a process hangs in MPI_Finalize if it called "
     "MPI while another process was in MPI_Finalize",
     "progress while MPI_Finalize waits for the launcher (Hydra), or a barrier at its start",
     "measured on 4.0.2 with UCX 1.13", WORKAROUND_FINALIZE_BARRIER},
    {"MPICH", V(4, 2, 0), LATEST, QUIRK_SEVERAL_NODES, "ucx",
     "over TCP a process may not return from MPI_Finalize if another one had called it before",
     "a barrier of all processes at the start of MPI_Finalize",
     "MPICH pull request 6596 may not cover all cases", WORKAROUND_FINALIZE_BARRIER},
    {"Open MPI", V(4, 0, 0), V(4, 99, 99), QUIRK_SEVERAL_NODES, "pt2pt",
     "no windows under MPI_THREAD_MULTIPLE (osc/pt2pt)",
     "no threads where windows between nodes are wanted; active messages where the program has "
     "threads",
     "measured on 4.1.4", WORKAROUND_UNTHREADED_WINDOWS},
    {"Open MPI", V(4, 0, 0), V(4, 99, 99), QUIRK_SEVERAL_NODES, "pt2pt",
     "accumulates with derived datatypes give wrong sums (osc/pt2pt)",
     "contiguous accumulates, one per segment", "measured on 4.1.4", WORKAROUND_SPLIT_STRIDED_ACC},
    {"Open MPI", V(4, 0, 0), V(4, 99, 99), QUIRK_SEVERAL_NODES, "pt2pt",
     "MPI_Win_flush_local hangs while accumulates of more than 4 KiB and others are in flight "
     "(osc/pt2pt)",
     "MPI_Win_flush instead of MPI_Win_flush_local", "measured on 4.1.4", WORKAROUND_REMOTE_FLUSH},
    {"Open MPI", V(4, 0, 0), V(4, 99, 99), QUIRK_ANYWHERE, NULL,
     "MPI_Win_allocate and MPI_Win_create_dynamic (osc/rdma) name their shared memory after node, "
     "job and context id: windows of disjoint groups share memory, silently, or fail",
     "MPI_Win_allocate_shared (osc/sm) for groups on one node; no dynamic windows where ARMCI runs "
     "on a part of the job",
     "Open MPI pull request 9495; measured on 4.1.4", WORKAROUND_SHARED_WINDOWS},
    {"Open MPI", V(4, 0, 0), LATEST, QUIRK_ANYWHERE, NULL,
     "an hvector with stride -1 is treated as contiguous bytes: silent wrong data",
     "with a negative stride, one contiguous call per segment, or packing",
     "measured on 4.1.4 and 5.0.11", WORKAROUND_SPLIT_NEGATIVE_STRIDES},
    {"Open MPI", V(4, 0, 0), LATEST, QUIRK_ANYWHERE, NULL,
     "accumulates with indexed datatypes lose updates or crash",
     "contiguous accumulates, one per segment", "Open MPI issues 14181, 14175",
     WORKAROUND_SPLIT_VECTOR_ACC},
    {"Open MPI", V(4, 0, 0), V(4, 99, 99), QUIRK_ANYWHERE, NULL,
     "MPI_Win_create fails for one process and, on one node, crashes in compare-and-swap and "
     "contended accumulates (osc/rdma)",
     "windows by MPI_Win_allocate only", "measured on 4.1.4", NO_CREATED_WINDOWS},
    {"Open MPI", V(4, 0, 0), LATEST, QUIRK_ANYWHERE, "ucx",
     "the 255th outstanding operation to one peer aborts over UCX",
     "at most 128 operations in flight to one target", "published by users; MPI-3 RMA over osc/ucx",
     LIMIT_OUTSTANDING},
    {"Open MPI", V(5, 0, 0), LATEST, QUIRK_SEVERAL_NODES, "ucx",
     "noncontiguous MPI_Rget completes before the data are there (osc/ucx)",
     "no request-based calls: plain calls, then a flush", "measured on 5.0.11", NO_REQUESTS},
    {"MPICH", V(4, 1, 0), LATEST, QUIRK_SEVERAL_NODES, "ucx",
     "a receive from MPI_ANY_SOURCE that is posted after its message has arrived never completes",
     "MPI_Improbe finds such messages before they are received", "measured on 4.3.2 and 5.0.2",
     WORKAROUND_PROBE_RECEIVES},
    {"MPICH", V(4, 3, 0), LATEST, QUIRK_SEVERAL_NODES, "ofi",
     "over TCP MPI_Win_flush returns before the data of a put are in the target's memory",
     "after a flush, a get of one byte: it arrives behind the data",
     "measured on 4.3.2, 5.0.0 to 5.0.2", WORKAROUND_FLUSH_READBACK},
    {"Intel MPI", V(2019, 0, 0), LATEST, QUIRK_SEVERAL_NODES, NULL,
     "over TCP MPI_Win_flush returns before the data of a put are in the memory of the target",
     "after a flush, a get of one byte: it arrives behind the data", "measured on 2021.18",
     WORKAROUND_FLUSH_READBACK},
    {"Intel MPI", V(2019, 0, 0), LATEST, QUIRK_ANYWHERE, NULL,
     "an hvector of blocks of several bytes with a stride of one byte is treated as contiguous "
     "blocks: silent wrong data",
     "with a stride of one byte, one contiguous call per segment, or packing",
     "measured on 2021.18", WORKAROUND_SPLIT_BYTE_STRIDES},
};

static struct quirks quirks;
const struct quirks *const armcii_quirks = &quirks;

const struct quirk_row *armcii_quirk_row(size_t i)
{
    return i < sizeof table / sizeof table[0] ? &table[i] : NULL;
}

const char *armcii_quirks_library(const char *version_text, int *version)
{
    static const struct {
        const char *name, *sign;
        int version; /* of the MPICH that it derives from, where the text does not name it; else 0
                      */
    } libraries[] = {
        /* Intel MPI and others derive from MPICH and name it, too: look for them first. */
        {"Intel MPI", "Intel(R) MPI Library ", 0},
        {"Open MPI", "Open MPI v", 0},
        {"MPICH", "(ANL base ", 0}, /* Cray MPICH */
        {"MPICH", "MVAPICH2 Version", V(3, 2, 1)},
        {"MPICH", "MVAPICH Version", V(3, 4, 0)},
        {"MPICH", "MPICH Version:", 0},
    };
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
        const char *at = strstr(version_text, libraries[i].sign);
        if (!at) continue;
        int major = 0, minor = 0, patch = 0;
        *version = libraries[i].version;
        if (*version) return libraries[i].name;
        if (sscanf(at + strlen(libraries[i].sign), "%d.%d.%d", &major, &minor, &patch) < 1)
            continue;
        *version = V(major, minor, patch);
        return libraries[i].name;
    }
    return NULL;
}

void armcii_version_line(const char *text, char *line, size_t size)
{
    snprintf(line, size, "%.*s", (int)strcspn(text, "\r\n"), text);
    for (char *c = line; *c; c++)
        if (*c == '\t') *c = ' ';
}

/* MPICH uses the first transport of its line "MPICH Device: ch4:ucx ofi", unless the environment
 * names one. */
static bool mpich_may_take(const char *transport, const char *version_text)
{
    static const char sign[] = "MPICH Device:";
    const char *netmod = armcii_config_variable("MPIR_CVAR_CH4_NETMOD"),
               *device = strstr(version_text, sign);
    if (netmod && *netmod) return strcmp(netmod, transport) == 0;
    if (!device) return true;
    char first[16];
    return sscanf(device + strlen(sign), " ch4:%15[a-z0-9]", first) != 1 ||
           strcmp(first, transport) == 0;
}

/* OMPI_MCA_osc lists the components to use or, after a ^, those to exclude. Where UCX carries
 * messages between nodes, Open MPI has loaded osc/ucx and prefers it to osc/pt2pt. */
static bool open_mpi_may_take(const char *component)
{
    if (strcmp(component, "pt2pt") == 0 && armcii_object_is_loaded("mca_osc_ucx")) return false;
    const char *list = armcii_config_variable("OMPI_MCA_osc");
    if (!list || !*list) return true;
    bool excludes = *list == '^';
    size_t length;
    for (list += excludes; *list; list += length + (list[length] == ',')) {
        length = strcspn(list, ",");
        if (length == strlen(component) && strncmp(list, component, length) == 0) return !excludes;
    }
    return excludes;
}

static bool transport_applies(const struct quirk_row *row, const char *version_text)
{
    if (!row->transport) return true;
    return strcmp(row->library, "MPICH") == 0 ? mpich_may_take(row->transport, version_text)
                                              : open_mpi_may_take(row->transport);
}

/* True if the row describes this library in a job of this kind. */
static bool row_applies(const struct quirk_row *row, const char *version_text, bool several_nodes)
{
    int version;
    const char *library = armcii_quirks_library(version_text, &version);
    return library && strcmp(library, row->library) == 0 && version >= row->from &&
           version <= row->to && (several_nodes || row->scope == QUIRK_ANYWHERE) &&
           transport_applies(row, version_text);
}

enum { ACC_SEGMENTS = 256, OUTSTANDING = 128, EAGER_MAX = 32 << 10, SHORT_EAGER_MAX = 16 << 10 };

static bool is_overruled(const struct quirk_row *row)
{
    if (row->id < WORKAROUNDS) return armcii_config->workarounds[row->id] == WORKAROUND_OFF;
    return row->id == LIMIT_EAGER && armcii_config->eager_max > SHORT_EAGER_MAX;
}

bool armcii_quirk_is_in_force(size_t i, const char *version_text, bool several_nodes)
{
    const struct quirk_row *row = armcii_quirk_row(i);
    return row && row_applies(row, version_text, several_nodes) && !is_overruled(row);
}

/* clang-format off */
static void apply(enum workaround workaround)
{
    struct quirks *q = &quirks;
    switch (workaround) {
    case WORKAROUND_PAD_SLICES: q->slice_unit = 4096; break;
    case WORKAROUND_SHARED_WINDOWS: q->shared_windows_on_one_node = true; break;
    case WORKAROUND_UNTHREADED_WINDOWS: q->threaded_windows = false; break;
    case WORKAROUND_SPLIT_NEGATIVE_STRIDES: q->negative_strides = false; break;
    case WORKAROUND_SPLIT_BYTE_STRIDES: q->byte_strides = false; break;
    case WORKAROUND_SPLIT_STRIDED_ACC: q->acc_strided_types = false; break;
    case WORKAROUND_SPLIT_VECTOR_ACC: q->acc_indexed_types = false; break;
    case WORKAROUND_REMOTE_FLUSH: q->local_completion = false; break;
    case WORKAROUND_FLUSH_READBACK: q->flush_is_remote = false; break;
    case WORKAROUND_PROBE_RECEIVES: q->anysource_after_arrival = false; break;
    case WORKAROUND_FINALIZE_BARRIER: q->finalize_independent = false; break;
    case WORKAROUND_PACK_PUTS: q->datatype_sends_fast = false; break;
    case LIMIT_ACC_SEGMENTS: q->acc_segments = ACC_SEGMENTS; break;
    case LIMIT_EAGER: q->eager_max = SHORT_EAGER_MAX; break;
    case LIMIT_OUTSTANDING: q->outstanding = OUTSTANDING; break;
    case NO_REQUESTS: q->typed_requests = false; break;
    case NO_CREATED_WINDOWS: q->window_over_own_memory = false; break;
    }
}
/* clang-format on */

void armcii_quirks_decide(const char *version_text, bool several_nodes, bool enabled)
{
    quirks = (struct quirks){.slice_unit = enabled ? 64 : 1,
                             .threaded_windows = true,
                             .window_over_own_memory = true,
                             .negative_strides = true,
                             .byte_strides = true,
                             .acc_strided_types = true,
                             .acc_indexed_types = true,
                             .acc_segments = SIZE_MAX,
                             .typed_requests = true,
                             .outstanding = SIZE_MAX,
                             .local_completion = true,
                             .flush_is_remote = true,
                             .anysource_after_arrival = true,
                             .finalize_independent = true,
                             .datatype_sends_fast = true,
                             .eager_max = EAGER_MAX};
    int version;
    const char *library = armcii_quirks_library(version_text, &version);
    quirks.launcher_barrier =
        library && strcmp(library, "MPICH") == 0 && version < V(4, 1, 0); /* measured on 4.0.2 */
    for (size_t i = 0; enabled && armcii_quirk_row(i); i++)
        if (armcii_quirk_is_in_force(i, version_text, several_nodes)) apply(table[i].id);
    for (enum workaround workaround = 0; workaround < WORKAROUNDS; workaround++)
        if (armcii_config->workarounds[workaround] == WORKAROUND_ON) apply(workaround);
    if (armcii_config->eager_max != 0) quirks.eager_max = armcii_config->eager_max;
}
