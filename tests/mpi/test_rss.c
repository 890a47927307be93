/* test_rss.c - memory that the library takes in a process, and the times of ARMCI_Init and
 * ARMCI_Group_create, beside MPI's own. The program prints them, and checks wide bounds, however
 * many ranks share a processor: regions take less memory than their slices, which nobody touches,
 * ARMCI_Init takes less time than MPI_Init, and a group about half as long as MPI's own call, which
 * may spin. */
#include <math.h>

#include "harness.h"

enum { REGIONS = 100, SLICE = 4096 };

static double mpi_start; /* seconds of MPI_Init here */

static void start(int *argc, char ***argv)
{
    double begun = now();
    start_mpi(argc, argv);
    mpi_start = now() - begun;
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
    double mine = (double)(process_kib() - before), average = mean(mine), most = largest(mine);
    if (test_rank() == 0)
        printf("%-28s KiB of a process: mean %.0f, most %.0f\n", what, average, most);
    return most;
}

/* Groups of every other rank. */
static void quick_groups(void)
{
    enum { GROUPS = 5 };
    int *members = need_zeroed((size_t)test_ranks() * sizeof *members), n = 0;
    double of_mpi = 1e9, own = 1e9, begun; /* the fastest on the slowest process */
    MPI_Group all, part;
    for (int i = test_rank() % 2; i < test_ranks(); i += 2)
        members[n++] = i;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, n, members, &part);
    for (int i = 0; i < GROUPS; i++) {
        MPI_Comm comm;
        ARMCI_Group group;
        ARMCI_Barrier();
        begun = now();
        MPI_Comm_create_group(MPI_COMM_WORLD, part, 0, &comm);
        of_mpi = fmin(of_mpi, largest(now() - begun));
        MPI_Comm_free(&comm);
        ARMCI_Barrier();
        begun = now();
        ARMCI_Group_create(n, members, &group);
        double mine = now() - begun;
        ARMCI_Barrier(); /* largest() may spin while others still create theirs */
        own = fmin(own, largest(mine));
        ARMCI_Group_free(&group);
    }
    if (test_rank() == 0)
        printf("MPI_Comm_create_group %.2f ms, ARMCI_Group_create %.2f ms\n", 1e3 * of_mpi,
               1e3 * own);
    check_time(own, 0.5 * of_mpi + 1e-3 * test_ranks(), "ARMCI_Group_create; MPI took %.1f ms",
               1e3 * of_mpi);
    MPI_Group_free(&part);
    MPI_Group_free(&all);
    free(members);
}

static void few_bytes(void)
{
    void **first = need_zeroed(REGIONS * (size_t)test_ranks() * sizeof *first);
    MPI_Barrier(MPI_COMM_WORLD); /* what MPI makes for its first message is not the library's */
    long before = process_kib();
    double begun = now();
    check_long(ARMCI_Init(), 0, "ARMCI_Init");
    double own_start = largest(now() - begun), start = largest(mpi_start);
    if (test_rank() == 0)
        printf("MPI_Init %.1f ms, ARMCI_Init %.1f ms\n", 1e3 * start, 1e3 * own_start);
    const double most = test_ranks() < 16 ? 1.5 : 0.75; /* of MPI's; few ranks start soon */
    check_time(own_start, most * start + 0.02, "ARMCI_Init; MPI_Init took %.0f ms", 1e3 * start);
    kilobytes_since(before, "ARMCI_Init");
    before = process_kib();
    begun = now();
    for (int i = 0; i < REGIONS; i++)
        check_long(ARMCI_Malloc(first + i * test_ranks(), SLICE), 0, "ARMCI_Malloc");
    double allocation = largest(now() - begun);
    if (test_rank() == 0) printf("ARMCI_Malloc %.1f us\n", 1e6 * allocation / REGIONS);
    double of_regions = kilobytes_since(before, "regions of 4 KiB");
    for (int i = 0; i < REGIONS; i++)
        ARMCI_Free(first[i * test_ranks() + test_rank()]);
    quick_groups();
    ARMCI_Finalize();
    free(first);
    check(of_regions <= REGIONS * SLICE / 1024.,
          "%d regions of %d bytes, untouched: %.0f KiB of memory", REGIONS, SLICE, of_regions);
}

static const struct test tests[] = {
    {"the library takes little memory", few_bytes},
};
SUITE(.start = start, .stop = stop_mpi);
