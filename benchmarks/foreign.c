/* foreign.c - 256 KiB out of memory that malloc, MPI or ARMCI allocated, by a put with a fence and
 * by a message of MPI: the first time that the memory is used, and the second. */
#include "plain_mpi.h"
#include "row.h"

#include <armci.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { PRIVATE, OF_MPI, LOCAL, GLOBAL, KINDS };
enum { BYTES = 256 << 10, FEWEST = 20, TAG = 79, ROWS = 4 * KINDS };

static const char *const kinds[KINDS] = {"malloc", "MPI_Alloc_mem", "ARMCI_Malloc_local",
                                         "ARMCI_Malloc"};
static struct row rows[ROWS];
static char names[ROWS][64];

/* Collective. */
static void *allocate(enum kind kind, const struct site *site, void **slices)
{
    void *memory = NULL;
    switch (kind) {
    case PRIVATE: return malloc(BYTES);
    case OF_MPI: MPI_Alloc_mem(BYTES, MPI_INFO_NULL, &memory); return memory;
    case LOCAL: return ARMCI_Malloc_local(BYTES);
    default: ARMCI_Malloc(slices, BYTES); return slices[site->me];
    }
}

static void release(enum kind kind, void *memory)
{
    switch (kind) {
    case PRIVATE: free(memory); return;
    case OF_MPI: MPI_Free_mem(memory); return;
    case LOCAL: ARMCI_Free_local(memory); return;
    default: ARMCI_Free(memory);
    }
}

/* From rank 0's memory to the target's slice. */
static void transfer(bool message, void *memory, const struct site *site)
{
    MPI_Comm comm = mpi_communicator();
    if (message && site->me == 0)
        MPI_Send(memory, BYTES, MPI_BYTE, site->target, TAG, comm);
    else if (message && site->me == site->target)
        MPI_Recv(site->slice, BYTES, MPI_BYTE, 0, TAG, comm, MPI_STATUS_IGNORE);
    else if (!message && site->me == 0) {
        ARMCI_Put(memory, site->remote, BYTES, site->target);
        ARMCI_Fence(site->target);
    }
}

static bool is_filled(const char *slice, char value)
{
    for (long i = 0; i < BYTES; i++)
        if (slice[i] != value) return false;
    return true;
}

/* New memory each time; of two uses the second is kept. */
static bool sample(int number, const struct site *site, int value, void **slices,
                   struct samples *samples)
{
    bool right = true;
    enum kind kind = (enum kind)(number / 4);
    void *memory = allocate(kind, site, slices);
    if (!site_all(memory != NULL)) return false;
    memset(memory, value, BYTES);
    double time = 0;
    for (int use = 0; use <= number % 2; use++) {
        memset(site->slice, 0, BYTES);
        site_barrier();
        double begin = sample_clock();
        transfer(number / 2 % 2, memory, site);
        time = sample_clock() - begin;
        site_barrier();
        right = right && (site->me != site->target || is_filled(site->slice, (char)value));
    }
    if (site->me == 0) samples_keep(samples, time);
    release(kind, memory);
    return right;
}

static void measure(const struct row *row, const struct site *site, double seconds,
                    struct result *result)
{
    struct samples samples = {0};
    void **slices = calloc((size_t)site->ranks, sizeof *slices);
    bool right = slices != NULL;
    long more = right;
    double end = sample_clock() + seconds * 1e9;

    *result = (struct result){.name = row->name};
    for (int i = 0; site_all(right) && more; i++) {
        right = sample((int)(row - rows), site, 1 + i % 100, slices, &samples);
        more = site_share(i < FEWEST || sample_clock() < end);
    }
    result->valid = site_all(right);
    samples_summary(&samples, &result->time);
    samples_free(&samples);
    free(slices);
}

static bool enter(struct site *site)
{
    (void)site;
    for (int i = 0; i < ROWS; i++) {
        snprintf(names[i], sizeof *names, "%s from %s, %s", i / 2 % 2 ? "MPI_Send" : "put + fence",
                 kinds[i / 4], i % 2 ? "second" : "first");
        rows[i] =
            (struct row){.name = names[i], .patch = {1, BYTES, 0, 0}, .available = mpi_has_target};
    }
    return true;
}

const struct group group_foreign = {
    .word = "foreign", .count = ROWS, .rows = rows, .enter = enter, .measure = measure};
