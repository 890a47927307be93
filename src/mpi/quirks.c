/* quirks.c - the table of known defects of MPI libraries. */
#include "mpi/quirks.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define V(major, minor, patch) ((major) * 10000 + (minor) * 100 + (patch))
static const int LATEST = V(99, 0, 0);

static void pad_slices(struct quirks *q)
{
    q->slice_unit = 4096;
}
static void library_memory_only(struct quirks *q)
{
    q->window_over_own_memory = false;
}
static void shared_windows(struct quirks *q)
{
    q->shared_windows_on_one_host = true;
}
static void no_negative_strides(struct quirks *q)
{
    q->negative_strides = false;
}
static void no_derived_accumulate(struct quirks *q)
{
    q->acc_strided_types = false;
    q->acc_indexed_types = false;
}
static void no_indexed_accumulate(struct quirks *q)
{
    q->acc_indexed_types = false;
}
static void short_accumulate_types(struct quirks *q)
{
    q->acc_segments = 256;
}
static void few_outstanding(struct quirks *q)
{
    q->outstanding = 128;
}
static void slow_strided_messages(struct quirks *q)
{
    q->quick_strided_messages = false;
}

static const struct quirk_row table[] = {
    {"MPICH", V(4, 0, 0), V(4, 0, 99), QUIRK_ANYWHERE,
     "MPI_Win_allocate with a slice that is no multiple of 16 bytes: transfers go to the wrong place, silently",
     "slices are padded to whole pages", "MPICH issue 6110; measured on 4.0.2 (ch4:ucx)", pad_slices},
    {"MPICH", V(3, 0, 0), LATEST, QUIRK_ANYWHERE,
     "noncontiguous MPI_Rget over UCX completes before the data are there; noncontiguous MPI_Rput over OFI crashes",
     "no request-based calls: plain ones, then flush", "measured on 4.0.2, 4.3.2, 5.0.2", NULL},
    {"MPICH", V(3, 0, 0), LATEST, QUIRK_ANYWHERE,
     "accumulates whose datatype has very many segments exceed the message header of UCX and abort",
     "at most 256 segments in one accumulate's datatype", "MPICH issue 7886", short_accumulate_types},
    {"MPICH", V(3, 0, 0), LATEST, QUIRK_SEVERAL_NODES,
     "sending a vector type between hosts takes three times as long as sending as many bytes in one piece",
     "the library packs strided data itself, in parts", "measured on 4.0.2 (ch4:ucx)", slow_strided_messages},
    {"Open MPI", V(4, 0, 0), V(4, 99, 99), QUIRK_SEVERAL_NODES,
     "accumulates with derived datatypes give wrong sums (osc/pt2pt)", "contiguous accumulates, one per segment",
     "measured on 4.1.4", no_derived_accumulate},
    {"Open MPI", V(4, 0, 0), V(4, 99, 99), QUIRK_ANYWHERE,
     "MPI_Win_allocate (osc/rdma) names its shared memory after node, job and context id: windows of disjoint groups share memory, silently, "
     "or fail",
     "MPI_Win_allocate_shared (osc/sm) for groups on one node", "Open MPI pull request 9495; measured on 4.1.4", shared_windows},
    {"Open MPI", V(4, 0, 0), LATEST, QUIRK_ANYWHERE,
     "an hvector of single bytes with stride -1 is taken for contiguous bytes: silent wrong data",
     "strided transfers with a negative stride go by contiguous calls, one per segment", "measured on 4.1.4 and 5.0.11",
     no_negative_strides},
    {"Open MPI", V(4, 0, 0), LATEST, QUIRK_ANYWHERE,
     "accumulates with indexed datatypes lose updates or crash", "contiguous accumulates, one per segment",
     "Open MPI issues 14181, 14175", no_indexed_accumulate},
    {"Open MPI", V(4, 0, 0), V(4, 99, 99), QUIRK_ANYWHERE,
     "MPI_Win_create fails for one process and, on one node, crashes in compare-and-swap and contended accumulates (osc/rdma)",
     "windows over the library's own memory (MPI_Win_allocate) only", "measured on 4.1.4", library_memory_only},
    {"Open MPI", V(4, 0, 0), LATEST, QUIRK_ANYWHERE,
     "the 255th outstanding operation to one peer aborts over UCX", "at most 128 operations in flight to one target",
     "published by users; MPI-3 RMA over osc/ucx", few_outstanding},
    {"Open MPI", V(5, 0, 0), LATEST, QUIRK_SEVERAL_NODES,
     "noncontiguous MPI_Rget completes before the data are there (osc/ucx)", "no request-based calls: plain ones, then flush",
     "measured on 5.0.11", NULL},
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

bool armcii_quirk_is_in_force(size_t i, const char *version_text, bool several_nodes)
{
    int version;
    const struct quirk_row *row = armcii_quirk_row(i);
    const char *library = armcii_quirks_library(version_text, &version);
    return row && library && strcmp(library, row->library) == 0 && version >= row->from && version <= row->to &&
           scope_applies(row->scope, several_nodes);
}

void armcii_quirks_decide(const char *version_text, bool several_nodes, bool enabled)
{
    in_force = (struct quirks){.slice_unit = 64,
                               .window_over_own_memory = true,
                               .negative_strides = true,
                               .acc_strided_types = true,
                               .acc_indexed_types = true,
                               .acc_segments = SIZE_MAX,
                               .outstanding = SIZE_MAX,
                               .quick_strided_messages = true};
    if (!enabled) {
        in_force.slice_unit = 1;
        return;
    }
    for (size_t i = 0; armcii_quirk_row(i); i++)
        if (armcii_quirk_is_in_force(i, version_text, several_nodes) && table[i].apply) table[i].apply(&in_force);
}
