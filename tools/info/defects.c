/* defects.c - the known defects of MPI libraries as doc/reference/defects.md. */
#include <stdio.h>

#include "info.h"
#include "mpi/quirks.h"

enum { MAJOR = 10000, MINOR = 100, LAST_PATCH = 99, NO_MAJOR = 9000 };

static void print_version(int version)
{
    printf("%d.%d", version / MAJOR, version / MINOR % MINOR);
    if (version % MINOR != 0 && version % MINOR != LAST_PATCH) printf(".%d", version % MINOR);
}

/* The versions with a defect: "4.0", "3.3 to 4.1", "4.0 and later", "4" for all that begin so. */
static void print_versions(const struct quirk_row *row)
{
    int last = row->to / MINOR % MINOR;

    if (row->to / MAJOR == row->from / MAJOR && last == LAST_PATCH && row->from % MAJOR == 0) {
        printf("%d", row->from / MAJOR);
        return;
    }
    print_version(row->from);
    if (row->to / MAJOR >= NO_MAJOR) {
        printf(" and later");
    } else if (row->to / MINOR != row->from / MINOR) {
        printf(" to ");
        print_version(row->to);
    }
}

void info_print_defects(void)
{
    const struct quirk_row *row;

    printf("# Known defects of MPI libraries\n\n"
           "Written by `armci-info --defects` from `src/mpi/quirks.c`; do not edit.\n\n"
           "The library finds the rows for the MPI library that is loaded, and applies their "
           "workarounds. `armci-info` prints them.\n"
           "\n| library | where | defect | workaround | source |\n|---|---|---|---|---|\n");
    for (size_t i = 0; (row = armcii_quirk_row(i)) != NULL; i++) {
        printf("| %s ", row->library);
        print_versions(row);
        printf(" | %s%s%s | %s | %s | %s |\n",
               row->scope == QUIRK_SEVERAL_NODES ? "between nodes" : "anywhere",
               row->transport ? ", " : "", row->transport ? row->transport : "", row->defect,
               row->workaround, row->reference);
    }
}
