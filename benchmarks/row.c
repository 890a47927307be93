/* row.c - how a row is carried out: once, with a look at the data, then measured in rounds, each with another look. */
#include "row.h"

#include "sample.h"

#include <armci.h>

/* The time is divided into rounds, in each of which memcpy and the operation take turns, so that both see the same
 * moods of the machine. */
enum { ROUNDS = 4 };
static const double COPY_SHARE = 0.3; /* of the time */

long row_bytes(const struct row *row)
{
    return (long)row->patch.segments * row->patch.bytes;
}

static bool works(const struct row *row, const struct site *site)
{
    return row->who == TOGETHER || site->me == 0;
}

static void prepare(const struct row *row, const struct site *site, int seed)
{
    if (row->prepare) {
        site_access_begin(site);
        row->prepare(row, site, seed);
        site_access_end(site);
    }
    site_barrier();
}

/* Complete everything and let every rank look at its part.  Collective. */
static bool check(const struct row *row, const struct site *site, int seed, long times)
{
    bool right = true;
    ARMCI_AllFence();
    site_barrier();
    if (row->check) {
        site_access_begin(site);
        right = row->check(row, site, seed, times);
        site_access_end(site);
    }
    if (row->prove) right = row->prove(site, seed) && right;
    return site_all(right);
}

static bool works_once(const struct row *row, const struct site *site)
{
    const int seed = 1;
    prepare(row, site, seed);
    if (works(row, site)) row->run(row, site, 1);
    return check(row, site, seed, 1);
}

/* Measure memcpy in the buffers of the row, on rank 0. */
static void sample_copy(const struct row *row, const struct site *site, double seconds, struct samples *copies)
{
    if (site->me != 0) return;
    sample_alone(copies, row->copy, row, site, seconds);
    ARMCI_Fence(site->target);
}

/* A round: memcpy, fresh data, the operation, a look at the data.  Collective. */
static bool measure_round(const struct row *row, const struct site *site, int seed, double seconds,
                          struct samples *samples, struct samples *copies)
{
    double copy_seconds = row->copy ? COPY_SHARE * seconds : 0;

    if (row->copy) sample_copy(row, site, copy_seconds, copies);
    site_barrier();
    prepare(row, site, seed);
    samples->calls = 0;
    if (row->who == TOGETHER)
        sample_together(samples, row->run, row, site, seconds);
    else if (site->me == 0)
        sample_alone(samples, row->run, row, site, seconds - copy_seconds);
    return check(row, site, seed, site_share(samples->calls));
}

void row_measure(const struct row *row, const struct site *site, double seconds, struct result *result)
{
    struct samples samples = {0}, copies = {0};
    struct timing copy;

    *result = (struct result){.name = row->name, .versus = row->versus};
    result->valid = works_once(row, site);
    for (int round = 0; round < ROUNDS; round++)
        result->valid = measure_round(row, site, 2 + round, seconds / ROUNDS, &samples, &copies) && result->valid;
    samples_summary(&samples, &result->time);
    samples_summary(&copies, &copy);
    result->memcpy_best = copy.best;
    samples_free(&samples);
    samples_free(&copies);
}
