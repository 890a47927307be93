/* quirks.h - what MPI libraries do wrong and what we do about it: one table (quirks.c), looked up at run time.
 * Nothing about a library's defects stands anywhere else. */
#ifndef ARMCII_QUIRKS_H
#define ARMCII_QUIRKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/config.h"

/* What the rows in force ask of the layers above.  The initial values are those of a library without defects. */
struct quirks {
    size_t slice_unit;           /* slices of a window are rounded up to multiples of this */
    bool shared_windows_on_one_node; /* MPI_Win_allocate_shared instead of MPI_Win_allocate where members share memory */
    bool threaded_windows;       /* windows between nodes can be made where MPI allows threads */
    bool window_over_own_memory; /* MPI_Win_create may be used */
    bool negative_strides;       /* datatypes with negative strides are right */
    bool byte_strides;           /* datatypes with strides of one byte are right */
    bool acc_strided_types;      /* accumulates with (h)vector and subarray types are right */
    bool acc_indexed_types;      /* accumulates with indexed types are right */
    size_t acc_segments;         /* segments that one accumulate's datatypes may have */
    bool typed_requests;         /* request-based calls with datatypes are right; the library makes none, armci-doctor does */
    size_t outstanding;          /* operations in flight to one target */
    bool local_completion;       /* MPI_Win_flush_local may be used */
    bool true_flush;             /* what MPI_Win_flush completes is in the target's memory */
    bool late_receives;          /* receives from any source may be posted when their message is there */
    bool lone_finalize;          /* MPI_Finalize may be entered while others still call MPI */
    bool quick_strided_messages; /* messages of vector types are about as fast as contiguous ones */
    size_t at_once;              /* bytes of a message that goes without a handshake with the receiver */
};

enum quirk_scope { QUIRK_ANYWHERE, QUIRK_ONE_NODE, QUIRK_SEVERAL_NODES };

struct quirk_row {
    const char *library;         /* as armcii_quirks_library names it */
    int from, to;                /* versions major * 10000 + minor * 100 + patch, both included */
    enum quirk_scope scope;      /* where the defect shows */
    const char *transport;       /* with which part of the library: "ucx" or "ofi" of MPICH, a component for one-sided calls of
                                  * Open MPI; NULL: any.  Where the one in use cannot be told, it may be this one. */
    const char *defect;          /* what breaks */
    const char *remedy;          /* what is done here */
    const char *reference;       /* where it is described or measured */
    enum avoidable avoid;        /* what is avoided for it; AVOIDABLES: request-based calls, which
                                  * the code never makes */
};

/* Row i of the table, NULL after the last. */
const struct quirk_row *armcii_quirk_row(size_t i);

/* Find the library in the text of MPI_Get_library_version: its name ("MPICH", "Open MPI", "Intel MPI") and version; NULL for others. */
const char *armcii_quirks_library(const char *version_text, int *version);

/* Is row i in force for the library that version_text names in a job on one or several nodes?  By the transport that the text and the
 * environment tell, and unless its ARMCI_AVOID_... says no. */
bool armcii_quirk_is_in_force(size_t i, const char *version_text, bool several_nodes);

/* Decide, once at start; `enabled` false: as if the library had no defect.  ARMCI_AVOID_... overrules rows and `enabled`.  Then read
 * through armcii_quirks. */
void armcii_quirks_decide(const char *version_text, bool several_nodes, bool enabled);
extern const struct quirks *const armcii_quirks;

#endif
