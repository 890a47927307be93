/* gather.c - versions, build, paths, limits, and known defects of the MPI library. */
#include "info.h"

#include <armci.h>
#include <mpi.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../lib/commit.h"
#include "../lib/limits.h"
#include "base/config.h"
#include "base/system.h"
#include "config-build.h"
#include "mpi/quirks.h"
#include "shape/shape.h"
#include "node/cpus.h"
#include "node/segment.h"

#define TEXT_OF(X) #X
#define TEXT(X)    TEXT_OF(X)

/* The MPI library of the build, for printing only. */
#if defined(MPI_ABI_VERSION)
#define BUILD_LIBRARY "standard ABI " TEXT(MPI_ABI_VERSION) "." TEXT(MPI_ABI_SUBVERSION)
#elif defined(OMPI_MAJOR_VERSION)
#define BUILD_LIBRARY                                                                              \
    "Open MPI " TEXT(OMPI_MAJOR_VERSION) "." TEXT(OMPI_MINOR_VERSION) "." TEXT(OMPI_RELEASE_VERSION)
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

static struct fact *add(struct section *s, const char *key, const char *label, enum fact_kind kind)
{
    if (s->count == MOST_FACTS) abort(); /* raise MOST_FACTS */
    struct fact *f = &s->facts[s->count++];
    *f = (struct fact){.key = key, .label = label, .kind = kind};
    return f;
}

static void __attribute__((format(printf, 4, 5)))
add_text(struct section *s, const char *key, const char *label, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(add(s, key, label, FACT_TEXT)->text, FACT_ROOM, format, args);
    va_end(args);
}

static void add_number(struct section *s, const char *key, const char *label, enum fact_kind kind,
                       size_t number)
{
    struct fact *f = add(s, key, label, kind);
    f->number = number;
    if (kind == FACT_BYTES)
        armcii_system_format_bytes(number, f->text, FACT_ROOM);
    else
        armcii_system_format_count(number, f->text, FACT_ROOM);
}

const char *info_version(void)
{
    return PACKAGE_VERSION;
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
    add_text(s, "version", "ARMCI-RMA", "%s", PACKAGE_VERSION);
    add_text(s, "commit", "commit", "%s", build_commit());
    add_text(s, "mpi_at_build", "MPI at build", "%s (MPI %d.%d)", BUILD_LIBRARY, MPI_VERSION,
             MPI_SUBVERSION);
    add_text(s, "mpi_in_use", "MPI in use", "%s (MPI %d.%d)", first, major, minor);
}

static void gather_build(struct section *s)
{
    add_text(s, "compiler", "compiler", "%s", COMPILER);
    add_text(s, "cc", "CC", "%s", ARMCII_BUILD_CC);
    add_text(s, "cflags", "CFLAGS", "%s", ARMCII_BUILD_CFLAGS);
    add_text(s, "configure", "options of configure", "%s", ARMCII_BUILD_OPTIONS);
}

static bool has_memfd(void)
{
    int fd = armcii_segment_descriptor(1);
    if (fd >= 0) close(fd);
    return fd >= 0;
}

static bool shares_memory(void)
{
    return armcii_config->shm == SHM_AUTO && has_memfd();
}

static const char *inside_a_node(void)
{
    return shares_memory() ? "loads and stores in shared memory (memfd)" : "MPI RMA";
}

static const char *by_rma(void)
{
    armcii_quirks_decide(info_mpi_library(), true, armcii_config->quirks);
    if (armcii_config->progress != PROGRESS_NONE && armcii_quirks->threaded_windows)
        return "MPI RMA; asynchronous, by a thread in each process, if MPI provides "
               "MPI_THREAD_MULTIPLE";
    return "MPI RMA; operations may wait until their target calls MPI";
}

static const char *between_nodes(void)
{
    bool servers = shares_memory() && armcii_config->transport != TRANSPORT_RMA &&
                   armcii_config->progress != PROGRESS_NONE;
    return servers ? "active messages to a server on each node if MPI provides "
                     "MPI_THREAD_MULTIPLE, else MPI RMA"
                   : by_rma();
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
    if (armcii_config->strided_method == STRIDED_IOV) return vector_calls();
    return "one call with a strided datatype; contiguous calls if segments overlap";
}

/* Between nodes. */
static const char *accumulate_calls(void)
{
    armcii_quirks_decide(info_mpi_library(), true, armcii_config->quirks);
    if (armcii_quirks->acc_strided_types)
        return armcii_quirks->acc_indexed_types
                   ? "as puts and gets"
                   : "strided: as puts and gets; vector: contiguous calls";
    return "contiguous calls";
}

static size_t calls_in_flight(void)
{
    armcii_quirks_decide(info_mpi_library(), true, armcii_config->quirks);
    return armcii_config->outstanding_limit < armcii_quirks->outstanding
               ? armcii_config->outstanding_limit
               : armcii_quirks->outstanding;
}

static void gather_paths(struct section *s)
{
    add_text(s, "inside_a_node", "inside a node", "%s", inside_a_node());
    add_text(s, "between_nodes", "between nodes", "%s", between_nodes());
    add_text(s, "strided_by_mpi", "strided, by MPI", "%s", strided_calls());
    add_text(s, "vector_by_mpi", "vector, by MPI", "%s", vector_calls());
    add_text(s, "accumulates_by_mpi", "accumulates, by MPI", "%s", accumulate_calls());
    add_number(s, "calls_in_flight", "calls in flight, by MPI", FACT_COUNT, calls_in_flight());
}

static void gather_limits(struct section *s)
{
    struct limits l = read_limits();
    add_number(s, "processors", "processors", FACT_COUNT, armcii_cpus_allowed());
    add_number(s, "memory", "memory left", FACT_BYTES, armcii_memory_left(0));
    add_number(s, "file", "longest file (ulimit -f)", FACT_BYTES, l.file);
    add_number(s, "locked", "locked memory (ulimit -l)", FACT_BYTES, l.locked);
    add_number(s, "descriptors", "descriptors (ulimit -n)", FACT_COUNT, l.descriptors);
    add_number(s, "mappings", "mappings of a process", FACT_COUNT, l.mappings);
    add_number(s, "stride_levels", "stride levels", FACT_COUNT, SHAPE_MAX_LEVELS);
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

void info_print_section(const struct section *s)
{
    if (s->title) printf("%s\n", s->title);
    for (size_t i = 0; i < s->count; i++)
        printf("%s%-*s  %s\n", s->title ? "  " : "", s->title ? 26 : 12, s->facts[i].label,
               s->facts[i].text);
}

bool info_quirk_concerns(size_t i, bool *on_one_node, bool *on_several)
{
    *on_one_node = armcii_quirk_is_in_force(i, info_mpi_library(), false);
    *on_several = armcii_quirk_is_in_force(i, info_mpi_library(), true);
    return *on_one_node || *on_several;
}

void info_print_quirks(void)
{
    bool here, between;
    printf("Known defects of this MPI library and their workarounds\n");
    for (size_t i = 0; armcii_quirk_row(i); i++) {
        const struct quirk_row *row = armcii_quirk_row(i);
        if (!info_quirk_concerns(i, &here, &between)) continue;
        const char *name = row->id < WORKAROUNDS ? armcii_config_workaround(row->id, NULL) : "";
        printf("  %s%s\n      -> %s%s%s%s (%s)\n", row->defect,
               here && between ? ""
               : between       ? " [between nodes]"
                               : " [on one node]",
               name, *name ? ": " : "", row->workaround,
               armcii_config->quirks ? "" : " [switched off by ARMCI_QUIRKS]", row->reference);
    }
}
