/* arrays.c - the time of GA_Create and GA_Destroy: of small and large arrays, regular and
 * irregular ones, one at a time and many at once. It needs Global Arrays, on any ARMCI:
 *     mpicc arrays.c $(ga-config --cppflags --ldflags --libs) */
#include <ga.h>
#include <macdecls.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>

enum { PAIRS = 1000, MOST_AT_ONCE = 100, MOST_RANKS = 1024, DOUBLES_OF_KIB = 128 };

struct row {
    const char *name;
    int kib; /* of a process, on average */
    bool irregular;
    int at_once; /* arrays */
};

static int create(const struct row *row)
{
    char name[] = "array";
    int ranks = GA_Nnodes(), part = row->kib * DOUBLES_OF_KIB, whole[1] = {ranks * part};
    int chunk[1] = {part}, blocks[1] = {ranks}, starts[MOST_RANKS] = {0};
    if (!row->irregular) return NGA_Create(C_DBL, 1, whole, name, chunk);
    for (int i = 1; i < ranks; i++) /* the last block takes what the others leave */
        starts[i] = i * (part - part / ranks);
    return NGA_Create_irreg(C_DBL, 1, whole, name, blocks, starts);
}

/* Microseconds of a pair. */
static double time_of(const struct row *row)
{
    int arrays[MOST_AT_ONCE];
    GA_Sync();
    double begin = MPI_Wtime();
    for (int i = 0; i < PAIRS; i += row->at_once) {
        for (int j = 0; j < row->at_once; j++)
            arrays[j] = create(row);
        for (int j = 0; j < row->at_once; j++)
            GA_Destroy(arrays[j]);
    }
    GA_Sync();
    return (MPI_Wtime() - begin) / PAIRS * 1e6;
}

int main(int argc, char **argv)
{
    static const struct row rows[] = {
        {"4 KiB", 4, false, 1},
        {"4 MiB", 4096, false, 1},
        {"irregular, 4 KiB", 4, true, 1},
        {"irregular, 4 MiB", 4096, true, 1},
        {"4 KiB, 100 at once", 4, false, MOST_AT_ONCE},
        {"4 MiB, 10 at once", 4096, false, 10},
    };
    MPI_Init(&argc, &argv);
    GA_Initialize();
    MA_init(C_DBL, 1000, 1000);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && GA_Nnodes() <= MOST_RANKS; i++) {
        time_of(&rows[i]); /* warm-up */
        double us = time_of(&rows[i]);
        if (GA_Nodeid() == 0) printf("GA_Create + GA_Destroy, %-20s %9.1f us\n", rows[i].name, us);
    }
    GA_Terminate();
    MPI_Finalize();
    return 0;
}
