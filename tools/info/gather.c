/* gather.c - versions, build, paths and limits. */
#include "gather.h"

#include <armci.h>
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "base/config.h"
#include "base/system.h"
#include "config-build.h"
#include "mpi/quirks.h"
#include "shape/shape.h"
#include "transport/shm/segment.h"

#define TEXT_OF(X)   #X
#define TEXT(X)      TEXT_OF(X)
#define VERSION_TEXT TEXT(ARMCI_RMA_VERSION_MAJOR) "." TEXT(ARMCI_RMA_VERSION_MINOR) "." TEXT(ARMCI_RMA_VERSION_PATCH)

/* The MPI library of the build, for printing only. */
#if defined(OMPI_MAJOR_VERSION)
#define BUILD_LIBRARY "Open MPI " TEXT(OMPI_MAJOR_VERSION) "." TEXT(OMPI_MINOR_VERSION) "." TEXT(OMPI_RELEASE_VERSION)
#elif defined(I_MPI_VERSION)
#define BUILD_LIBRARY "Intel MPI " I_MPI_VERSION
#elif defined(MPICH_VERSION)
#define BUILD_LIBRARY "MPICH " MPICH_VERSION
#else
#define BUILD_LIBRARY "library not named in its header"
#endif

#if defined(__clang__)
#define COMPILER __VERSION__ /* begins with its name */
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

const char *info_version(void)
{
    return VERSION_TEXT;
}

const char *info_mpi_library(void)
{
    static char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    if (!library[0]) MPI_Get_library_version(library, &length);
    return library;
}

static void gather_versions(struct section *s)
{
    int major, minor;
    char first[256];
    MPI_Get_version(&major, &minor);
    armcii_version_line(info_mpi_library(), first, sizeof first);
    info_text(s, "version", "ARMCI-RMA", "%s", VERSION_TEXT);
    info_text(s, "mpi_at_build", "MPI at build", "%s (MPI %d.%d)", BUILD_LIBRARY, MPI_VERSION, MPI_SUBVERSION);
    info_text(s, "mpi_in_use", "MPI in use", "%s (MPI %d.%d)", first, major, minor);
}

static void gather_build(struct section *s)
{
    info_text(s, "compiler", "compiler", "%s", COMPILER);
    info_text(s, "cc", "CC", "%s", ARMCII_BUILD_CC);
    info_text(s, "cflags", "CFLAGS", "%s", ARMCII_BUILD_CFLAGS);
    info_text(s, "configure", "options of configure", "%s", ARMCII_BUILD_OPTIONS);
#ifdef ARMCII_FAULTS
    info_text(s, "planted_faults", "injected faults", "%s", "yes: only to test the tests");
#else
    info_text(s, "planted_faults", "injected faults", "%s", "no");
#endif
}

static bool has_memfd(void)
{
    int fd = armcii_segment_descriptor(1);
    if (fd >= 0) close(fd);
    return fd >= 0;
}

static enum segment_kind kind_of_segments(void)
{
    bool memfd = (armcii_config->shm == SHM_AUTO || armcii_config->shm == SHM_MEMFD) && has_memfd();
    if (memfd) return SEGMENT_MEMFD;
    return armcii_config->shm == SHM_AUTO || armcii_config->shm == SHM_MPI ? SEGMENT_MPI : SEGMENT_NONE;
}

static const char *inside_a_node(void)
{
    switch (kind_of_segments()) {
    case SEGMENT_MEMFD: return "loads and stores in shared memory (memfd)";
    case SEGMENT_MPI: return "loads and stores in shared memory of the MPI library";
    default: return "MPI RMA";
    }
}

static const char *by_rma(void)
{
    armcii_quirks_decide(info_mpi_library(), true, armcii_config->quirks);
    if (armcii_config->progress != PROGRESS_NONE && armcii_quirks->threaded_windows)
        return "MPI RMA; asynchronous, by a thread in each process, if MPI provides MPI_THREAD_MULTIPLE";
    return "MPI RMA; operations may wait until their target calls MPI";
}

static const char *between_nodes(void)
{
    bool servers =
        kind_of_segments() == SEGMENT_MEMFD && armcii_config->transport != TRANSPORT_RMA && armcii_config->progress != PROGRESS_NONE;
    if (armcii_config->progress == PROGRESS_RANK)
        return servers ? "active messages to a progress rank on each node, its last rank; asynchronous"
                       : "none: ARMCI_PROGRESS=rank needs shared memory by memfd and a transport other than rma";
    return servers ? "active messages to a server on each node if MPI provides MPI_THREAD_MULTIPLE, else MPI RMA" : by_rma();
}

static const char *window_memory(bool several_nodes)
{
    armcii_quirks_decide(info_mpi_library(), several_nodes, armcii_config->quirks);
    if (armcii_config->window_kind == WINDOW_CREATE && armcii_quirks->window_over_own_memory) return "MPI_Win_create";
    return !several_nodes && armcii_quirks->shared_windows_on_one_node ? "MPI_Win_allocate_shared" : "MPI_Win_allocate";
}

static const char *vector_calls(void)
{
    switch (armcii_config->vector_method) {
    case VECTOR_CONSERVATIVE: return "contiguous calls, one at a time";
    case VECTOR_BATCHED: return "contiguous calls, many in flight";
    default: return "one call with an indexed datatype; contiguous calls if segments overlap";
    }
}

static const char *strided_calls(void)
{
    switch (armcii_config->strided_method) {
    case STRIDED_IOV: return vector_calls();
    case STRIDED_HVECTOR: return "one call with an hvector datatype; contiguous calls if segments overlap";
    default: return "one call with a subarray datatype; contiguous calls if segments overlap";
    }
}

/* Between nodes. */
static const char *accumulate_calls(void)
{
    armcii_quirks_decide(info_mpi_library(), true, armcii_config->quirks);
    if (armcii_quirks->acc_strided_types)
        return armcii_quirks->acc_indexed_types ? "as puts and gets" : "strided: as puts and gets; vector: contiguous calls";
    return "contiguous calls";
}

static size_t calls_in_flight(void)
{
    armcii_quirks_decide(info_mpi_library(), true, armcii_config->quirks);
    return armcii_config->outstanding_limit < armcii_quirks->outstanding ? armcii_config->outstanding_limit : armcii_quirks->outstanding;
}

static void gather_paths(struct section *s)
{
    info_text(s, "inside_a_node", "inside a node", "%s", inside_a_node());
    info_text(s, "between_nodes", "between nodes", "%s", between_nodes());
    info_text(s, "windows_on_one_node", "windows on one node", "%s", window_memory(false));
    info_text(s, "windows_between_nodes", "windows between nodes", "%s", window_memory(true));
    info_text(s, "strided_by_mpi", "strided, by MPI", "%s", strided_calls());
    info_text(s, "vector_by_mpi", "vector, by MPI", "%s", vector_calls());
    info_text(s, "accumulates_by_mpi", "accumulates, by MPI", "%s", accumulate_calls());
    info_number(s, "calls_in_flight", "calls in flight, by MPI", FACT_COUNT, calls_in_flight());
}

static void gather_limits(struct section *s)
{
    struct limits l;
    armcii_system_limits(&l);
    info_number(s, "processors", "processors", FACT_COUNT, l.processors);
    info_number(s, "memory", "memory left", FACT_BYTES, l.memory);
    info_number(s, "memory_in_dev_shm", "memory left in /dev/shm", FACT_BYTES, l.memory_to_mpi);
    info_number(s, "file", "longest file (ulimit -f)", FACT_BYTES, l.file);
    info_number(s, "locked", "locked memory (ulimit -l)", FACT_BYTES, l.locked);
    info_number(s, "descriptors", "descriptors (ulimit -n)", FACT_COUNT, l.descriptors);
    info_number(s, "mappings", "mappings of a process", FACT_COUNT, l.mappings);
    info_number(s, "stride_levels", "stride levels", FACT_COUNT, SHAPE_MAX_LEVELS);
}

const struct section *info_section(size_t i)
{
    static const struct {
        const char *key, *title;
        void (*gather)(struct section *s);
    } all[] = {
        {"versions", NULL, gather_versions},
        {"build", "Build", gather_build},
        {"paths", "Paths on this system", gather_paths},
        {"limits", "Limits of this node and shell", gather_limits},
    };
    static struct section section;
    if (i >= sizeof all / sizeof all[0]) return NULL;
    section = (struct section){.key = all[i].key, .title = all[i].title};
    all[i].gather(&section);
    return &section;
}
