/* methods.c - 1 to 1000 segments of 16 B and 1 KiB by strided and by vector calls, so that routes
 * and methods can be compared: ARMCI_TRANSPORT, ARMCI_STRIDED_METHOD, ARMCI_IOV_METHOD choose one
 * for a run. */
#include "row.h"

#include <stddef.h>

static const struct {
    const char *name;
    const struct row *kind;
    bool gets;
} kinds[] = {{"putS + fence", &kind_put_strided, false}, {"getS", &kind_get_strided, true},
             {"accS + fence", &kind_acc_strided, false}, {"putV + fence", &kind_put_vector, false},
             {"getV", &kind_get_vector, true},           {"accV + fence", &kind_acc_vector, false}};

enum { SHAPES = 8, KINDS = sizeof kinds / sizeof *kinds, ROWS = KINDS * SHAPES };

/* Segments and their bytes, as in the figure of the paper on ARMCI over MPI. */
static const int shapes[SHAPES][2] = {{1, 16},      {8, 16},      {64, 16},      {1000, 16},
                                      {1, 1 << 10}, {8, 1 << 10}, {64, 1 << 10}, {1000, 1 << 10}};

static struct row rows[ROWS];
static char names[ROWS][40];

static bool enter(struct site *site)
{
    for (int i = 0; i < ROWS; i++) {
        const int *shape = shapes[i % SHAPES];
        const struct row *kind = kinds[i / SHAPES].kind;
        rows[i] = kinds[i / SHAPES].gets ? *kind : row_fenced(kind);
        rows[i].patch = (struct patch){shape[0], shape[1], 2 * shape[1], 2 * shape[1]};
        rows[i].shortest = site->same_memory ? 0 : 2e6; /* ns, as in the word remote */
        row_name(names[i], sizeof *names, kinds[i / SHAPES].name, &rows[i].patch);
        rows[i].name = names[i];
    }
    return true;
}

const struct group group_methods = {.word = "methods", .count = ROWS, .rows = rows, .enter = enter};
