/* contention.c - all ranks access one slice. Times are per operation of each rank, from a common
 * start until the last rank has finished. All totals are verified exactly. */
#include "data.h"
#include "row.h"

#include <armci.h>
#include <string.h>

enum {
    SAME_BYTES = 64,
    PART_BYTES = 8 << 10,
    PARTS = LARGEST_TRANSFER / PART_BYTES /* more ranks share parts */
};

static double *doubles(char *memory)
{
    return (double *)(void *)memory;
}

/* The number of ranks that add to a part. */
static long ranks_of_part(const struct row *row, const struct site *site, int part)
{
    if (row->who == ALONE) return part == 0;
    return site->ranks / PARTS + (part < site->ranks % PARTS);
}

static int parts_in_use(const struct site *site)
{
    return site->ranks < PARTS ? site->ranks : PARTS;
}

static void prepare_same(const struct row *row, const struct site *site, int seed)
{
    data_numbers(doubles(site->local), row->patch.bytes / (int)sizeof(double), seed);
    if (site->me == site->target) memset(site->slice, 0, (size_t)row->patch.bytes);
}

static bool check_same(const struct row *row, const struct site *site, int seed, long times)
{
    if (site->me != site->target) return true;
    return data_are_sums(doubles(site->slice), row->patch.bytes / (int)sizeof(double), seed, 0,
                         (double)times * site->ranks);
}

/* All ranks add the same numbers to the patch at the target. */
static void prepare_patch(const struct row *row, const struct site *site, int seed)
{
    long n = row->patch.bytes / (long)sizeof(double);
    for (int i = 0; i < row->patch.segments; i++)
        data_numbers(doubles(site->local + (long)i * row->patch.local_stride), n, seed + i);
    if (site->me == site->target)
        memset(site->slice, 0, (size_t)row->patch.segments * (size_t)row->patch.remote_stride);
}

static bool check_patch(const struct row *row, const struct site *site, int seed, long times)
{
    long n = row->patch.bytes / (long)sizeof(double);
    double sums = (double)times * site->ranks;
    for (int i = 0; i < row->patch.segments && site->me == site->target; i++) {
        const double *segment = doubles(site->slice + (long)i * row->patch.remote_stride);
        if (!data_are_sums(segment, n, seed + i, 0, sums) || segment[n] != 0) return false;
    }
    return true;
}

static void run_parts(const struct row *row, const struct site *site, long times)
{
    char *part = site->remote + (long)(site->me % PARTS) * PART_BYTES;
    double one = 1;
    for (long i = 0; i < times; i++)
        ARMCI_Acc(ARMCI_ACC_DBL, &one, site->local, part, row->patch.bytes, site->target);
}

static void prepare_parts(const struct row *row, const struct site *site, int seed)
{
    data_numbers(doubles(site->local), row->patch.bytes / (int)sizeof(double), seed);
    if (site->me == site->target) memset(site->slice, 0, (size_t)parts_in_use(site) * PART_BYTES);
}

static bool check_parts(const struct row *row, const struct site *site, int seed, long times)
{
    long n = PART_BYTES / (long)sizeof(double);
    for (int part = 0; part < parts_in_use(site) && site->me == site->target; part++) {
        double expected = (double)(times * ranks_of_part(row, site, part));
        if (!data_are_sums(doubles(site->slice) + part * n, n, seed, 0, expected)) return false;
    }
    return true;
}

static void prepare_counter(const struct row *row, const struct site *site, int seed)
{
    (void)row, (void)seed;
    if (site->me == site->target) memset(site->slice, 0, sizeof(long));
}

static bool check_counter(const struct row *row, const struct site *site, int seed, long times)
{
    long counter;
    (void)row, (void)seed;
    memcpy(&counter, site->slice, sizeof counter);
    return site->me != site->target || counter == times * site->ranks;
}

static void run_rmw(const struct row *row, const struct site *site, long times)
{
    long old;
    (void)row;
    for (long i = 0; i < times; i++)
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, site->remote, 1, site->target);
}

static void prepare_common(const struct row *row, const struct site *site, int seed)
{
    data_numbers(doubles(site->local), row->patch.bytes / (long)sizeof(double), seed + 1);
    if (site->me == site->target)
        data_numbers(doubles(site->slice), row->patch.bytes / (long)sizeof(double), seed);
}

static bool check_common(const struct row *row, const struct site *site, int seed, long times)
{
    (void)times;
    return data_are_sums(doubles(site->local), row->patch.bytes / (long)sizeof(double), seed, 0, 1);
}

/* Bytes of the target's slice from the patch of a rank to that of the next. */
static long bytes_of_own(const struct row *row)
{
    return (long)row->patch.segments * row->patch.remote_stride;
}

static void run_own_patches(const struct row *row, const struct site *site, long times)
{
    int from = row->patch.local_stride, to = row->patch.remote_stride,
        count[] = {row->patch.bytes, row->patch.segments};
    for (long i = 0; i < times; i++)
        ARMCI_PutS(site->local, &from, site->remote + site->me * bytes_of_own(row), &to, count, 1,
                   site->target);
    ARMCI_Fence(site->target);
}

static void prepare_own_patches(const struct row *row, const struct site *site, int seed)
{
    data_numbers(doubles(site->local), row->patch.segments * row->patch.bytes / 8, seed + site->me);
    if (site->me == site->target)
        memset(site->slice, 0, (size_t)site->ranks * (size_t)bytes_of_own(row));
}

/* The local side is contiguous, so the numbers of a rank go on in its next segment. */
static bool check_own_patches(const struct row *row, const struct site *site, int seed, long times)
{
    (void)times;
    for (int rank = 0; rank < site->ranks && site->me == site->target; rank++) {
        const char *patch = site->slice + rank * bytes_of_own(row);
        data_numbers(doubles(site->spare), row->patch.segments * row->patch.bytes / 8, seed + rank);
        for (int i = 0; i < row->patch.segments; i++)
            if (memcmp(patch + (long)i * row->patch.remote_stride,
                       site->spare + (long)i * row->patch.local_stride, (size_t)row->patch.bytes))
                return false;
    }
    return true;
}

/* The lock protects a counter that is read, incremented and written. */
static void run_hand_over(const struct row *row, const struct site *site, long times)
{
    long counter;
    (void)row;
    for (long i = 0; i < times; i++) {
        ARMCI_Lock(0, site->target);
        ARMCI_Get(site->remote, &counter, sizeof counter, site->target);
        counter++;
        ARMCI_Put(&counter, site->remote, sizeof counter, site->target);
        ARMCI_Unlock(0, site->target);
    }
}

enum { ONE = 1 };
static struct row rows[] = {
    {.name = "all: acc 64 B, same elements",
     .who = TOGETHER,
     .patch = {1, SAME_BYTES, 0, 0},
     .run = transfer_acc,
     .prepare = prepare_same,
     .check = check_same},
    [ONE] = {.name = "one: acc 8 KiB",
             .patch = {1, PART_BYTES, 0, 0},
             .run = run_parts,
             .prepare = prepare_parts,
             .check = check_parts},
    {.name = "all: acc 8 KiB, own parts",
     .who = TOGETHER,
     .patch = {1, PART_BYTES, 0, 0},
     .run = run_parts,
     .prepare = prepare_parts,
     .check = check_parts,
     .beside = &rows[ONE]},
    {.name = "all: rmw, one counter",
     .who = TOGETHER,
     .run = run_rmw,
     .prepare = prepare_counter,
     .check = check_counter},
    {.name = "all: get 8 B",
     .who = TOGETHER,
     .patch = {1, 8, 0, 0},
     .run = transfer_get,
     .prepare = prepare_common,
     .check = check_common},
    {.name = "all: putS 8 x 64 B, own patches",
     .who = TOGETHER,
     .patch = {8, 64, 128, 64},
     .run = run_own_patches,
     .prepare = prepare_own_patches,
     .check = check_own_patches},
    {.name = "all: lock, get, put, unlock",
     .who = TOGETHER,
     .run = run_hand_over,
     .prepare = prepare_counter,
     .check = check_counter},
    {.name = "all: accS 64 x 512 B, one patch",
     .who = TOGETHER,
     .patch = {64, 512, 1024, 1024},
     .prepare = prepare_patch,
     .check = check_patch},
};

enum { ROWS = sizeof rows / sizeof *rows };

static bool enter(struct site *site)
{
    (void)site;
    rows[ROWS - 1].run = kind_acc_strided.run;
    return true;
}

const struct group group_contention = {
    .word = "contention", .count = ROWS, .rows = rows, .enter = enter};
