/* workarounds.c - why a defect of MPI is harmless: a row of the quirk table works around it, ARMCI
 * never makes the call, or no window is in use. */
#include "probes.h"

#include <stdint.h>

#include "base/config.h"

static const char *unless_used(void)
{
    return use.windows ? NULL : "ARMCI uses no MPI window here";
}

const char *workaround_no_windows(void)
{
    return unless_used();
}
const char *workaround_padded(void)
{
    return use.quirks.slice_unit >= 4096 ? "ARMCI pads slices to whole pages" : unless_used();
}
const char *workaround_no_create(void)
{
    return "ARMCI uses MPI_Win_allocate";
}
const char *workaround_no_requests(void)
{
    return "ARMCI makes no request-based calls";
}
const char *workaround_one_domain(void)
{
    return "ARMCI never mixes them in one region";
}
const char *workaround_one_window(void)
{
    return "an ARMCI region has one window";
}
const char *workaround_no_get_accumulate(void)
{
    return "ARMCI does not call it";
}
const char *workaround_acc_strided(void)
{
    return use.quirks.acc_strided_types ? unless_used() : "ARMCI accumulates segment by segment";
}
const char *workaround_acc_indexed(void)
{
    return use.quirks.acc_indexed_types ? unless_used() : "ARMCI accumulates segment by segment";
}
const char *workaround_negative(void)
{
    return use.quirks.negative_strides ? unless_used()
                                       : "ARMCI sends negative strides segment by segment";
}
const char *workaround_byte_strides(void)
{
    return use.quirks.byte_strides
               ? unless_used()
               : "ARMCI sends strides of one byte segment by segment, or packed";
}
const char *workaround_late_receives(void)
{
    if (!use.quirks.anysource_after_arrival)
        return "ARMCI probes for a message before it receives it";
    return use.servers ? NULL : "ARMCI receives nothing from MPI_ANY_SOURCE here";
}
const char *workaround_segments(void)
{
    return use.quirks.acc_segments <= 256 || !use.quirks.acc_indexed_types
               ? "ARMCI splits such accumulates"
               : unless_used();
}
const char *workaround_outstanding(void)
{
    return armcii_config->outstanding_limit <= 128 || use.quirks.outstanding < SIZE_MAX
               ? "ARMCI keeps at most 128 in flight"
               : unless_used();
}
const char *workaround_shared_groups(void)
{
    return use.quirks.shared_windows_on_one_node ? "ARMCI uses MPI_Win_allocate_shared"
                                                 : unless_used();
}
const char *workaround_dynamic(void)
{
    return use.windows ? NULL : "ARMCI uses no MPI window here";
}

bool workaround_is_known(const struct probe *p)
{
    if (p->workaround == workaround_no_create) return !use.quirks.window_over_own_memory;
    if (p->workaround == workaround_acc_indexed) return !use.quirks.acc_indexed_types;
    if (p->workaround == workaround_late_receives) return !use.quirks.anysource_after_arrival;
    if (p->workaround == workaround_no_requests) return !use.quirks.typed_requests;
    return p->workaround == workaround_shared_groups && use.quirks.shared_windows_on_one_node &&
           job->nodes == 1;
}
