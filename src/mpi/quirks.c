/* quirks.c - the table of known defects of MPI libraries. */
#include "mpi/quirks.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define V(major, minor, patch) ((major) * 10000 + (minor) * 100 + (patch))
static const int LATEST = V(9999, 0, 0); /* Intel counts years */

static const struct quirk_row table[] = {
    {"MPICH", V(4, 0, 0), V(4, 0, 99), QUIRK_ANYWHERE, NULL,
     "MPI_Win_allocate with a slice that is no multiple of 16 bytes: transfers go to the wrong place, silently",
     "slices are padded to whole pages", "MPICH issue 6110; measured on 4.0.2 (ch4:ucx)", AVOID_ODD_SLICES},
    {"MPICH", V(3, 0, 0), LATEST, QUIRK_ANYWHERE, NULL,
     "noncontiguous MPI_Rget (over UCX; 5.0 over OFI) and MPI_Rput (before 5.0 over UCX) complete too early; "
     "noncontiguous MPI_Rput over OFI crashes (4.3 to 5.0.1)",
     "no request-based calls: plain ones, then flush", "measured on 4.0.2, 4.3.2, 5.0.0 to 5.0.2", AVOIDABLES},
    {"MPICH", V(3, 0, 0), LATEST, QUIRK_ANYWHERE, "ucx",
     "accumulates whose datatype has very many segments exceed the message header of UCX and abort",
     "at most 256 segments in one accumulate's datatype", "MPICH issue 7886", AVOID_LONG_ACC},
    {"MPICH", V(3, 0, 0), LATEST, QUIRK_SEVERAL_NODES, NULL,
     "sending a vector type between nodes takes three times as long as sending as many bytes in one piece",
     "the library packs strided puts itself, in parts", "measured on 4.0.2 (ch4:ucx)", AVOID_VECTOR_MESSAGES},
    {"MPICH", V(3, 0, 0), LATEST, QUIRK_SEVERAL_NODES, NULL,
     "a message of more than 17 KiB waits for a handshake with the receiver: three times the time of a shorter one",
     "moderate data go in messages of 16 KiB", "measured on 4.0.2 (ch4:ucx)", AVOID_HANDSHAKES},
    {"MPICH", V(3, 3, 0), LATEST, QUIRK_SEVERAL_NODES, "ucx",
     "over TCP a process hangs in MPI_Finalize when it called MPI while another one was in MPI_Finalize already",
     "all meet at the beginning of MPI_Finalize", "measured on 4.0.2 with UCX 1.13", AVOID_LONE_FINALIZE},
    {"Open MPI", V(4, 0, 0), V(4, 99, 99), QUIRK_SEVERAL_NODES, "pt2pt",
     "no windows where MPI_THREAD_MULTIPLE is in force (osc/pt2pt)",
     "threads are not asked for where windows are wanted between nodes; where the program has them, requests to servers are the way",
     "measured on 4.1.4", AVOID_THREADED_WINDOWS},
    {"Open MPI", V(4, 0, 0), V(4, 99, 99), QUIRK_SEVERAL_NODES, "pt2pt",
     "accumulates with derived datatypes give wrong sums (osc/pt2pt)", "contiguous accumulates, one per segment",
     "measured on 4.1.4", AVOID_ACC_STRIDED},
    {"Open MPI", V(4, 0, 0), V(4, 99, 99), QUIRK_SEVERAL_NODES, "pt2pt",
     "MPI_Win_flush_local hangs when accumulates of more than 4 KiB and others are under way (osc/pt2pt)",
     "calls are completed by MPI_Win_flush", "measured on 4.1.4", AVOID_FLUSH_LOCAL},
    {"Open MPI", V(4, 0, 0), V(4, 99, 99), QUIRK_ANYWHERE, NULL,
     "MPI_Win_allocate (osc/rdma) names its shared memory after node, job and context id: windows of disjoint groups share memory, "
     "silently, or fail",
     "MPI_Win_allocate_shared (osc/sm) for groups on one node", "Open MPI pull request 9495; measured on 4.1.4", AVOID_WIN_ALLOCATE},
    {"Open MPI", V(4, 0, 0), LATEST, QUIRK_ANYWHERE, NULL,
     "an hvector with stride -1 is taken for contiguous bytes: silent wrong data",
     "strided transfers with a negative stride go by contiguous calls, one per segment, or are packed", "measured on 4.1.4 and 5.0.11",
     AVOID_NEGATIVE_STRIDES},
    {"Open MPI", V(4, 0, 0), LATEST, QUIRK_ANYWHERE, NULL,
     "accumulates with indexed datatypes lose updates or crash", "contiguous accumulates, one per segment",
     "Open MPI issues 14181, 14175", AVOID_ACC_INDEXED},
    {"Open MPI", V(4, 0, 0), V(4, 99, 99), QUIRK_ANYWHERE, NULL,
     "MPI_Win_create fails for one process and, on one node, crashes in compare-and-swap and contended accumulates (osc/rdma)",
     "windows over the library's own memory (MPI_Win_allocate) only", "measured on 4.1.4", AVOID_WIN_CREATE},
    {"Open MPI", V(4, 0, 0), LATEST, QUIRK_ANYWHERE, "ucx",
     "the 255th outstanding operation to one peer aborts over UCX", "at most 128 operations in flight to one target",
     "published by users; MPI-3 RMA over osc/ucx", AVOID_MANY_CALLS},
    {"Open MPI", V(5, 0, 0), LATEST, QUIRK_SEVERAL_NODES, "ucx",
     "noncontiguous MPI_Rget completes before the data are there (osc/ucx)", "no request-based calls: plain ones, then flush",
     "measured on 5.0.11", AVOIDABLES},
    {"MPICH", V(4, 1, 0), LATEST, QUIRK_SEVERAL_NODES, "ucx",
     "a receive from MPI_ANY_SOURCE that is posted when its message has arrived never completes",
     "such messages are found by MPI_Improbe before they are received", "measured on 4.3.2 and 5.0.2", AVOID_LATE_RECEIVES},
    {"MPICH", V(4, 3, 0), LATEST, QUIRK_SEVERAL_NODES, "ofi",
     "over TCP MPI_Win_flush returns before what was put is in the target's memory",
     "what was written is flushed, then a byte of it is got: it comes behind the data", "measured on 4.3.2, 5.0.0 to 5.0.2",
     AVOID_EARLY_FLUSH},
    {"Intel MPI", V(2019, 0, 0), LATEST, QUIRK_SEVERAL_NODES, NULL,
     "over TCP MPI_Win_flush returns before what was put is in the memory of the target",
     "what was written is flushed, then a byte of it is got: it comes behind the data", "measured on 2021.18", AVOID_EARLY_FLUSH},
    {"Intel MPI", V(2019, 0, 0), LATEST, QUIRK_ANYWHERE, NULL,
     "an hvector of blocks of several bytes with a stride of one byte is taken for contiguous blocks: silent wrong data",
     "strided transfers with a stride of one byte go by contiguous calls, one per segment, or are packed", "measured on 2021.18",
     AVOID_BYTE_STRIDES},
};

static struct quirks in_force;
const struct quirks *const armcii_quirks = &in_force;

const struct quirk_row *armcii_quirk_row(size_t i)
{
    return i < sizeof table / sizeof table[0] ? &table[i] : NULL;
}

const char *armcii_quirks_library(const char *version_text, int *version)
{
    static const struct {
        const char *name, *sign;
    } libraries[] = {
        /* Intel MPI and others are descendants of MPICH, and say so: ask for them first. */
        {"Intel MPI", "Intel(R) MPI Library "},
        {"Open MPI", "Open MPI v"},
        {"MPICH", "MPICH Version:"},
    };
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
        const char *at = strstr(version_text, libraries[i].sign);
        if (!at) continue;
        int major = 0, minor = 0, patch = 0;
        if (sscanf(at + strlen(libraries[i].sign), "%d.%d.%d", &major, &minor, &patch) < 1) continue;
        *version = V(major, minor, patch);
        return libraries[i].name;
    }
    return NULL;
}

static bool scope_applies(enum quirk_scope scope, bool several_nodes)
{
    return scope == QUIRK_ANYWHERE || (scope == QUIRK_SEVERAL_NODES) == several_nodes;
}

/* The first of the transports that the library has, from a line "MPICH Device: ch4:ucx ofi", unless the environment names one. */
static bool mpich_may_take(const char *transport, const char *version_text)
{
    static const char sign[] = "MPICH Device:";
    const char *netmod = armcii_config_mpi_variable("MPIR_CVAR_CH4_NETMOD"), *device = strstr(version_text, sign);
    if (netmod && *netmod) return strcmp(netmod, transport) == 0;
    if (!device) return true;
    char first[16];
    return sscanf(device + strlen(sign), " ch4:%15[a-z0-9]", first) != 1 || strcmp(first, transport) == 0;
}

/* OMPI_MCA_osc is a list of components, the only ones or, after a ^, those to leave out. */
static bool open_mpi_may_take(const char *component)
{
    const char *list = armcii_config_mpi_variable("OMPI_MCA_osc");
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
    return strcmp(row->library, "MPICH") == 0 ? mpich_may_take(row->transport, version_text) : open_mpi_may_take(row->transport);
}

/* Does the row tell of this library in a job of this kind? */
static bool row_applies(const struct quirk_row *row, const char *version_text, bool several_nodes)
{
    int version;
    const char *library = armcii_quirks_library(version_text, &version);
    return library && strcmp(library, row->library) == 0 && version >= row->from && version <= row->to &&
           scope_applies(row->scope, several_nodes) && transport_applies(row, version_text);
}

static bool is_overruled(const struct quirk_row *row)
{
    return row->avoid != AVOIDABLES && armcii_config->avoid[row->avoid] == AVOID_NO;
}

bool armcii_quirk_is_in_force(size_t i, const char *version_text, bool several_nodes)
{
    const struct quirk_row *row = armcii_quirk_row(i);
    return row && row_applies(row, version_text, several_nodes) && !is_overruled(row);
}

static void avoid(enum avoidable what)
{
    struct quirks *q = &in_force;
    switch (what) {
    case AVOID_ODD_SLICES: q->slice_unit = 4096; break;
    case AVOID_WIN_ALLOCATE: q->shared_windows_on_one_node = true; break;
    case AVOID_THREADED_WINDOWS: q->threaded_windows = false; break;
    case AVOID_WIN_CREATE: q->window_over_own_memory = false; break;
    case AVOID_NEGATIVE_STRIDES: q->negative_strides = false; break;
    case AVOID_BYTE_STRIDES: q->byte_strides = false; break;
    case AVOID_ACC_STRIDED: q->acc_strided_types = false; break;
    case AVOID_ACC_INDEXED: q->acc_indexed_types = false; break;
    case AVOID_LONG_ACC: q->acc_segments = 256; break;
    case AVOID_MANY_CALLS: q->outstanding = 128; break;
    case AVOID_FLUSH_LOCAL: q->local_completion = false; break;
    case AVOID_EARLY_FLUSH: q->true_flush = false; break;
    case AVOID_LATE_RECEIVES: q->late_receives = false; break;
    case AVOID_LONE_FINALIZE: q->lone_finalize = false; break;
    case AVOID_VECTOR_MESSAGES: q->quick_strided_messages = false; break;
    case AVOID_HANDSHAKES: q->at_once = 16 << 10; break;
    case AVOIDABLES: q->typed_requests = false; break;
    }
}

void armcii_quirks_decide(const char *version_text, bool several_nodes, bool enabled)
{
    in_force = (struct quirks){.slice_unit = enabled ? 64 : 1,
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
                               .true_flush = true,
                               .late_receives = true,
                               .lone_finalize = true,
                               .quick_strided_messages = true,
                               .at_once = 32 << 10};
    for (size_t i = 0; enabled && armcii_quirk_row(i); i++)
        if (armcii_quirk_is_in_force(i, version_text, several_nodes)) avoid(table[i].avoid);
    for (enum avoidable what = 0; what < AVOIDABLES; what++)
        if (armcii_config->avoid[what] == AVOID_YES) avoid(what);
}
