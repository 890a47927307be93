/* latency.c - the short operations: 8 bytes, atomics, locks, fences, the barrier. */
#include "data.h"
#include "row.h"

#include <armci.h>
#include <string.h>

static void run_acc_fence(const struct row *row, const struct site *site, long times)
{
    double one = 1;
    for (long i = 0; i < times; i++) {
        ARMCI_Acc(ARMCI_ACC_DBL, &one, site->local, site->remote, row->patch.bytes, site->target);
        ARMCI_Fence(site->target);
    }
}

static void run_fence(const struct row *row, const struct site *site, long times)
{
    int target = site->target;
    (void)row;
    for (long i = 0; i < times; i++)
        ARMCI_Fence(target);
}

/* Does the target's slice hold this number?  Collective; only a broadcast of the number
 * synchronizes the ranks. */
static bool target_has(const struct site *site, long number)
{
    long seen;
    site_share(number);
    site_access_begin(site);
    memcpy(&seen, site->slice, sizeof seen);
    site_access_end(site);
    return site->me != site->target || seen == number;
}

/* A put is complete after a fence. */
static bool prove_fence(const struct site *site, int seed)
{
    long number = 1000 + seed;
    if (site->me == 0) {
        ARMCI_Put(&number, site->remote, sizeof number, site->target);
        ARMCI_Fence(site->target);
    }
    return target_has(site, number);
}

static void run_rmw(const struct row *row, const struct site *site, long times)
{
    long old;
    (void)row;
    for (long i = 0; i < times; i++)
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, site->remote, 1, site->target);
    memcpy(site->local, &old, sizeof old);
}

static void prepare_rmw(const struct row *row, const struct site *site, int seed)
{
    long start = seed;
    (void)row;
    if (site->me == site->target) memcpy(site->slice, &start, sizeof start);
}

/* The counter is the number of additions, and the last old value is one less. */
static bool check_rmw(const struct row *row, const struct site *site, int seed, long times)
{
    long counter, old;
    bool right = true;
    (void)row;
    memcpy(&counter, site->slice, sizeof counter);
    memcpy(&old, site->local, sizeof old);
    if (site->me == site->target) right = counter == seed + times;
    return right && (site->me != 0 || old == seed + times - 1);
}

static void run_lock(const struct row *row, const struct site *site, long times)
{
    int target = site->target;
    (void)row;
    for (long i = 0; i < times; i++) {
        ARMCI_Lock(0, target);
        ARMCI_Unlock(0, target);
    }
}

/* Increment the number at the target by a get and a put, protected by the lock. */
static void add_under_lock(const struct site *site)
{
    long counter;
    ARMCI_Lock(0, site->target);
    ARMCI_Get(site->remote, &counter, sizeof counter, site->target);
    counter++;
    ARMCI_Put(&counter, site->remote, sizeof counter, site->target);
    ARMCI_Unlock(0, site->target);
}

/* All ranks increment a number under the lock, long enough to contend; no increment is lost. */
static bool prove_lock(const struct site *site, int seed)
{
    const long fewest = 50;
    const double shortest = 1e6; /* ns */
    long start = seed, added = 0;

    if (site->me == 0) ARMCI_Put(&start, site->remote, sizeof start, site->target);
    ARMCI_Barrier();
    double begin = sample_clock();
    while (added < fewest || sample_clock() - begin < shortest) {
        add_under_lock(site);
        added++;
    }
    ARMCI_Barrier();
    return target_has(site, seed + site_sum(added));
}

static void run_barrier(const struct row *row, const struct site *site, long times)
{
    (void)row, (void)site;
    for (long i = 0; i < times; i++)
        ARMCI_Barrier();
}

/* A put of rank 0 is complete at the target after a barrier. */
static bool prove_barrier(const struct site *site, int seed)
{
    long number = 2000 + seed;
    if (site->me == 0) ARMCI_Put(&number, site->remote, sizeof number, site->target);
    ARMCI_Barrier();
    return target_has(site, number);
}

static const struct row put = {.name = "put 8 B",
                               .patch = {1, 8, 0, 0},
                               .run = transfer_put,
                               .prepare = data_prepare_put,
                               .check = data_check_put,
                               .copy = data_copy_out};
static const struct row get = {.name = "get 8 B",
                               .patch = {1, 8, 0, 0},
                               .run = transfer_get,
                               .prepare = data_prepare_get,
                               .check = data_check_get,
                               .copy = data_copy_in};
static const struct row acc_fence = {.name = "acc 8 B + fence",
                                     .patch = {1, 8, 0, 0},
                                     .run = run_acc_fence,
                                     .prepare = data_prepare_acc,
                                     .check = data_check_acc,
                                     .copy = data_copy_out};
const struct row kind_rmw = {
    .name = "rmw fetch-and-add long", .run = run_rmw, .prepare = prepare_rmw, .check = check_rmw};
const struct row kind_lock = {.name = "lock + unlock, free", .run = run_lock, .prove = prove_lock};
const struct row kind_fence = {
    .name = "fence, nothing pending", .run = run_fence, .prove = prove_fence};
const struct row kind_barrier = {
    .name = "barrier", .who = TOGETHER, .run = run_barrier, .prove = prove_barrier};

/* The fence is before rows beside which this program copies to the target's memory itself. */
static const struct row *const kinds[] = {&kind_fence, &put,       &get,         &acc_fence,
                                          &kind_rmw,   &kind_lock, &kind_barrier};

enum { ROWS = sizeof kinds / sizeof *kinds };

static struct row rows[ROWS];

static bool enter(struct site *site)
{
    (void)site;
    for (int i = 0; i < ROWS; i++)
        rows[i] = *kinds[i];
    return true;
}

const struct group group_latency = {.word = "latency", .count = ROWS, .rows = rows, .enter = enter};
