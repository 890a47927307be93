/* test_rss.c - memory that the library takes in a process, and the time of ARMCI_Init, beside MPI's own.  The program prints both;
 * only the memory of regions is checked: it is less than their slices, which nobody touches. */
#include "harness.h"

enum { REGIONS = 100, SLICE = 4096 };

static double mpi_start; /* seconds of MPI_Init here */

static void start(int *argc, char ***argv)
{
    double begun = now();
    start_mpi(argc, argv);
    mpi_start = now() - begun;
}

/* KiB of memory that the caller has touched. */
static long resident(void)
{
    return kib_in("/proc/self/status", "VmRSS:");
}

/* Of all processes. */
static double largest(double mine)
{
    double most;
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static double mean(double mine)
{
    double sum;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum / test_ranks();
}

/* What a process has touched since it had `before`. */
static double kilobytes_since(long before, const char *what)
{
    double mine = (double)(resident() - before), average = mean(mine), most = largest(mine);
    if (test_rank() == 0) printf("%-28s KiB of a process: mean %.0f, most %.0f\n", what, average, most);
    return most;
}

static void few_bytes(void)
{
    void **first = need_zeroed(REGIONS * (size_t)test_ranks() * sizeof *first);
    MPI_Barrier(MPI_COMM_WORLD); /* what MPI makes for its first message is not the library's */
    long before = resident();
    double begun = now();
    check_long(ARMCI_Init(), 0, "ARMCI_Init");
    double own_start = largest(now() - begun), start = largest(mpi_start);
    if (test_rank() == 0) printf("MPI_Init %.1f ms, ARMCI_Init %.1f ms\n", 1e3 * start, 1e3 * own_start);
    kilobytes_since(before, "ARMCI_Init");
    before = resident();
    begun = now();
    for (int i = 0; i < REGIONS; i++)
        check_long(ARMCI_Malloc(first + i * test_ranks(), SLICE), 0, "ARMCI_Malloc");
    double allocation = largest(now() - begun);
    if (test_rank() == 0) printf("ARMCI_Malloc %.1f us\n", 1e6 * allocation / REGIONS);
    double of_regions = kilobytes_since(before, "regions of 4 KiB");
    for (int i = 0; i < REGIONS; i++)
        ARMCI_Free(first[i * test_ranks() + test_rank()]);
    ARMCI_Finalize();
    free(first);
    check(of_regions <= REGIONS * SLICE / 1024., "%d regions of %d bytes, untouched: %.0f KiB of memory", REGIONS, SLICE, of_regions);
}

static const struct test tests[] = {
    {"the library takes little memory", few_bytes},
};
SUITE(.start = start, .stop = stop_mpi);
