/* passive.c - transfers of every size and shape while the target computes without library calls,
 * beside one-sided calls of MPI of as many bytes, as Truly_passive_put of the Intel MPI
 * Benchmarks. MPI's calls may advance by the library's thread: ARMCI_PROGRESS=none shows MPI alone.
 */
#include "plain_mpi.h"
#include "row.h"

#include <stddef.h>

static const struct {
    const char *name;
    const struct row *kind;
    bool gets;
} kinds[] = {{"busy: get", &kind_get, true},
             {"busy: put + fence", &kind_put, false},
             {"busy: acc + fence", &kind_acc, false}},
  shaped[] = {{"busy: getS", &kind_get_strided, true},
              {"busy: putS + fence", &kind_put_strided, false},
              {"busy: accS + fence", &kind_acc_strided, false},
              {"busy: getV", &kind_get_vector, true},
              {"busy: putV + fence", &kind_put_vector, false}};

static const int sizes[] = {8, 1 << 10, 16 << 10, 256 << 10, 4 << 20};
static const int shapes[][2] = {{64, 512}, {1000, 16}, {64, 4 << 10}};

enum {
    SIZES = sizeof sizes / sizeof *sizes,
    SHAPES = sizeof shapes / sizeof *shapes,
    PLAIN = SIZES * sizeof kinds / sizeof *kinds,
    SHAPED = SHAPES * sizeof shaped / sizeof *shaped,
    MPI = 2 * SIZES,
    ROWS = PLAIN + SHAPED + MPI
};

static struct row rows[ROWS];
static char names[ROWS][40];

static void make(int at, const char *name, const struct row *kind, bool fenced, struct patch patch)
{
    rows[at] = fenced ? row_fenced(kind) : *kind;
    rows[at].who = STEADY;
    rows[at].copy = NULL;
    rows[at].patch = patch;
    row_name(names[at], sizeof *names, name, &patch);
    rows[at].name = names[at];
}

static bool enter(struct site *site)
{
    (void)site;
    for (int i = 0; i < PLAIN; i++)
        make(i, kinds[i / SIZES].name, kinds[i / SIZES].kind, !kinds[i / SIZES].gets,
             (struct patch){1, sizes[i % SIZES], 0, 0});
    for (int i = 0; i < SHAPED; i++) {
        const int *shape = shapes[i % SHAPES];
        make(PLAIN + i, shaped[i / SHAPES].name, shaped[i / SHAPES].kind, !shaped[i / SHAPES].gets,
             (struct patch){shape[0], shape[1], 2 * shape[1], 2 * shape[1]});
    }
    for (int i = 0; i < MPI; i++)
        make(PLAIN + SHAPED + i, i < SIZES ? "busy: MPI_Get" : "busy: MPI_Put",
             i < SIZES ? &kind_mpi_get : &kind_mpi_put, false,
             (struct patch){1, sizes[i % SIZES], 0, 0});
    mpi_open_window();
    return true;
}

static void leave(struct site *site)
{
    (void)site;
    mpi_close_window();
}

const struct group group_passive = {
    .word = "passive", .count = ROWS, .rows = rows, .enter = enter, .leave = leave};
