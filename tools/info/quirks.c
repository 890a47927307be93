/* quirks.c - the rows of the quirk table that apply to the library in use. */
#include "quirks.h"

#include <stdio.h>

#include "base/config.h"
#include "gather.h"
#include "mpi/quirks.h"

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
        printf("  %s%s\n      -> %s%s (%s)\n", row->defect,
               here && between ? ""
               : between       ? " [between nodes]"
                               : " [on one node]",
               row->remedy, armcii_config->quirks ? "" : " [disabled by ARMCI_QUIRKS]", row->reference);
    }
}
