/* quirks.h - known defects of MPI libraries and their workarounds: one table (quirks.c), looked up
 * at run time. No other file knows a library's defects. */
#ifndef ARMCII_QUIRKS_H
#define ARMCII_QUIRKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/config.h"

/* What the layers above must respect. */
struct quirks {
    size_t slice_unit;               /* slices of a window are rounded up to multiples of this */
    bool shared_windows_on_one_node; /* MPI_Win_allocate_shared instead of MPI_Win_allocate where
                                        members share memory */
    bool threaded_windows;           /* windows between nodes work where MPI has threads */
    bool window_over_own_memory;     /* MPI_Win_create works for processes that share a node */
    bool negative_strides;           /* datatypes with negative strides are right */
    bool byte_strides;               /* datatypes with strides of one byte are right */
    bool acc_strided_types;          /* accumulates with (h)vector and subarray types are right */
    bool acc_indexed_types;          /* accumulates with indexed types are right */
    size_t acc_segments;             /* segments that one accumulate's datatypes may have */
    bool typed_requests;   /* request-based calls with datatypes are right; the library makes none,
                              armci-doctor does */
    size_t outstanding;    /* operations in flight to one target */
    bool local_completion; /* MPI_Win_flush_local may be used */
    bool flush_is_remote;  /* MPI_Win_flush returns when the data are in the target's memory */
    bool anysource_after_arrival; /* receives from any source may be posted after their message has
                                     arrived */
    bool finalize_independent;    /* MPI_Finalize may be entered while other processes call MPI */
    bool launcher_barrier;        /* MPI_Finalize closes the connections and waits at the launcher's
                                     barrier next; the launcher may be Hydra, with PMI-1 */
    bool datatype_sends_fast;     /* messages of vector datatypes are about as fast as contiguous
                                        ones */
    size_t eager_max;             /* data bytes of a message between nodes that MPI sends without a
                                     rendezvous */
};

enum quirk_scope { QUIRK_ANYWHERE, QUIRK_SEVERAL_NODES };

struct quirk_row {
    const char *library;    /* as armcii_quirks_library names it */
    int from, to;           /* versions major * 10000 + minor * 100 + patch, both included */
    enum quirk_scope scope; /* where the defect shows */
    const char *transport;  /* of MPICH ("ucx", "ofi"), or the component of Open MPI for RMA; NULL:
                             * any. The row applies, too, where the one in use is unknown. */
    const char *defect;     /* what breaks */
    const char *workaround; /* what the library does about it */
    const char *reference;  /* where it is described or measured */
    enum workaround id;     /* of the workaround */
};

/* Row i of the table, NULL after the last. */
const struct quirk_row *armcii_quirk_row(size_t i);

/* The library in the text of MPI_Get_library_version: its name ("MPICH", "Open MPI", "Intel MPI")
 * and version; NULL for others. Cray MPICH and MVAPICH are the MPICH that they derive from, HPC-X
 * is Open MPI. */
const char *armcii_quirks_library(const char *version_text, int *version);
/* Copy the first line of that text into `line`, with blanks for tabs, cut to size - 1 bytes. */
void armcii_version_line(const char *version_text, char *line, size_t size);

/* True if row i is in force for that library in a job on one or several nodes, by the transport
 * that the text and the environment name, and the configuration does not overrule it:
 * ARMCI_QUIRKS=-NAME, or a larger limit.  "none" in ARMCI_QUIRKS is not considered. */
bool armcii_quirk_is_in_force(size_t i, const char *version_text, bool several_nodes);

/* Decide, once at start; the result is in armcii_quirks. enabled false: no row applies, only the
 * workarounds and limits that the configuration names. */
void armcii_quirks_decide(const char *version_text, bool several_nodes, bool enabled);
extern const struct quirks *const armcii_quirks;

#endif
