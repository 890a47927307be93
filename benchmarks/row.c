/* row.c - executes a row once and checks the data, then measures it in rounds, each with a check.
 */
#include "row.h"

#include "sample.h"

#include <armci.h>
#include <stdio.h>

/* In each round memcpy, the row that this one is compared with, and the operation are measured in
 * turns, under the same conditions. */
enum { ROUNDS = 4 };
static const double COPY_SHARE = 0.3, BESIDE_SHARE = 0.4; /* of the time */

void row_run_fenced(const struct row *row, const struct site *site, long times)
{
    for (long i = 0; i < times; i++) {
        row->step(row, site, 1);
        ARMCI_Fence(site->target);
    }
}

struct row row_fenced(const struct row *kind)
{
    struct row row = *kind;
    row.step = row.run;
    row.run = row_run_fenced;
    return row;
}

void row_name(char *name, size_t room, const char *kind, const struct patch *patch)
{
    int power = patch->bytes >= 1 << 20 ? 20 : patch->bytes >= 1 << 10 ? 10 : 0;
    char count[16] = "";
    if (patch->segments > 1) snprintf(count, sizeof count, "%d x ", patch->segments);
    snprintf(name, room, "%s %s%d %s", kind, count, patch->bytes >> power,
             power == 20   ? "MiB"
             : power == 10 ? "KiB"
                           : "B");
}

/* As a stream of messages, complete when the last one has arrived. */
void row_run_stream(const struct row *row, const struct site *site, long times)
{
    row->step(row, site, times);
    ARMCI_Fence(site->target);
}

static bool works(const struct row *row, const struct site *site)
{
    return row->who == TOGETHER || site->me == 0;
}

void row_prepare(const struct row *row, const struct site *site, int seed)
{
    if (row->prepare) {
        site_access_begin(site);
        row->prepare(row, site, seed);
        site_access_end(site);
    }
    site_barrier();
}

bool row_check(const struct row *row, const struct site *site, int seed, long times)
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

bool row_works(const struct row *row, const struct site *site)
{
    const int seed = 1;
    row_prepare(row, site, seed);
    if (works(row, site)) row->run(row, site, 1);
    return row_check(row, site, seed, 1);
}

/* Measure memcpy in the buffers of the row, on rank 0. */
static void sample_copy(const struct row *row, const struct site *site, double seconds,
                        struct samples *copies)
{
    if (site->me != 0) return;
    sample_alone(copies, row->copy, row, site, seconds);
    ARMCI_Fence(site->target);
}

static void sample(const struct row *row, const struct site *site, double seconds,
                   struct samples *samples)
{
    switch (row->who) {
    case ALONE:
        if (site->me == 0) sample_alone(samples, row->run, row, site, seconds);
        return;
    case TOGETHER: sample_together(samples, row->run, row, site, seconds); return;
    case STEADY: sample_steady(samples, row->run, row, site, seconds); return;
    case FIRST: sample_first(samples, row->run, row, site, seconds); return;
    }
}

/* Initialize the data, measure the operation, check the data. Collective. */
static bool sample_checked(const struct row *row, const struct site *site, int seed, double seconds,
                           struct samples *samples)
{
    row_prepare(row, site, seed);
    samples->calls = 0;
    sample(row, site, seconds, samples);
    ARMCI_Barrier(); /* the others wait here while rank 0 works alone */
    return row_check(row, site, seed, site_share(samples->calls));
}

/* The samples of a row. */
struct series {
    struct samples own, beside, copies;
};

static bool measure_round(const struct row *row, const struct site *site, int seed, double seconds,
                          struct series *series)
{
    double copy_seconds = row->copy ? COPY_SHARE * seconds : 0,
           beside_seconds = row->beside ? BESIDE_SHARE * seconds : 0;
    bool right = true;

    if (row->copy) sample_copy(row, site, copy_seconds, &series->copies);
    site_barrier();
    if (row->beside)
        right = sample_checked(row->beside, site, seed, beside_seconds, &series->beside);
    return sample_checked(row, site, seed, seconds - copy_seconds - beside_seconds, &series->own) &&
           right;
}

void row_measure(const struct row *row, const struct site *site, double seconds,
                 struct result *result)
{
    struct series series = {.own.shortest = row->shortest};
    struct timing copy;
    /* In each round the target computes for longer than the operation is measured. */
    int rounds = row->who == STEADY ? ROUNDS / 2 : ROUNDS;

    *result = (struct result){.name = row->name, .versus = row->versus, .rate = row->rate};
    if (row->beside) {
        series.beside.shortest = row->beside->shortest;
        result->versus = row->beside->name;
    }
    result->valid = row_works(row, site);
    for (int round = 0; round < rounds; round++)
        result->valid =
            measure_round(row, site, 2 + round, seconds / rounds, &series) && result->valid;
    samples_summary(&series.own, &result->time);
    samples_summary(&series.beside, &result->beside);
    samples_summary(&series.copies, &copy);
    result->memcpy_best = copy.best;
    samples_free(&series.own);
    samples_free(&series.beside);
    samples_free(&series.copies);
}
