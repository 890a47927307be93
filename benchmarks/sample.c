/* sample.c - timing of batches, by rank 0 alone or by all ranks, and summaries of samples. */
#include "sample.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Minimum length of a batch, ns: reading the clock takes about 20 ns, so at most 0.1 %. A call of 5
 * ns is repeated 10 000 times. */
static const double SHORTEST_BATCH = 5e4;
/* If all ranks work: longer, because the time includes a barrier. */
static const double SHORTEST_BATCH_TOGETHER = 2e6;
/* Computation beyond the time for samples, longer than a call that needs no other process, and
 * pause before a first call, ns. */
static const double LONGER = 5e7, SILENCE = 1e8;
/* Consecutive batches that must be long enough: a single one may have been disturbed. */
enum { LONG_ENOUGH = 3 };
/* Minimum number of samples, for very slow operations. */
enum { FEWEST_SAMPLES = 2 };
/* The first part of the time warms up caches, branch predictors, connections and the core's
 * frequency. */
static const double WARM_UP_SHARE = 0.1;

double sample_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

void samples_keep(struct samples *samples, double time)
{
    if (samples->count == samples->room) {
        long room = samples->room ? 2 * samples->room : 1024;
        double *times = realloc(samples->times, (size_t)room * sizeof *times);
        if (!times) return;
        samples->times = times;
        samples->room = room;
    }
    samples->times[samples->count++] = time;
}

/* Time of a batch, ns: on this rank, and until all ranks have finished. */
struct duration {
    double own, all;
};

static struct duration time_batch(struct samples *samples, run_function run, const struct row *row,
                                  const struct site *site)
{
    double begin = sample_clock();
    run(row, site, samples->batch);
    double own = sample_clock() - begin;
    samples->calls += samples->batch;
    return (struct duration){own, own};
}

/* The same together with the other ranks, which execute follow(). */
static struct duration time_batch_together(struct samples *samples, run_function run,
                                           const struct row *row, const struct site *site)
{
    site_share(samples->batch);
    site_barrier();
    double begin = sample_clock();
    run(row, site, samples->batch);
    double own = sample_clock() - begin;
    site_barrier();
    samples->calls += samples->batch;
    return (struct duration){own, sample_clock() - begin};
}

typedef struct duration (*batch_function)(struct samples *samples, run_function run,
                                          const struct row *row, const struct site *site);

/* The time on this rank determines the batch: barriers take very long if ranks outnumber cores. */
static void take(batch_function time, double shortest, struct samples *samples, run_function run,
                 const struct row *row, const struct site *site, double seconds)
{
    double begin = sample_clock(), end = begin + seconds * 1e9,
           warm = begin + WARM_UP_SHARE * seconds * 1e9;
    int long_enough = 0;
    long kept = 0;

    if (samples->batch == 0) samples->batch = 1;
    while (long_enough < LONG_ENOUGH || sample_clock() < warm) {
        bool longer = time(samples, run, row, site).own >= shortest;
        long_enough = longer ? long_enough + 1 : 0;
        if (!longer) samples->batch *= 2;
    }
    while (kept < FEWEST_SAMPLES || sample_clock() < end) {
        struct duration last = time(samples, run, row, site);
        if (last.own < shortest / 2) { /* the warm-up was disturbed: the batch is too small */
            samples->batch *= 2;
            continue;
        }
        samples_keep(samples, last.all / (double)samples->batch);
        kept++;
    }
}

void sample_alone(struct samples *samples, run_function run, const struct row *row,
                  const struct site *site, double seconds)
{
    double shortest = samples->shortest > 0 ? samples->shortest : SHORTEST_BATCH;
    take(time_batch, shortest, samples, run, row, site, seconds);
}

/* Execute the batches that rank 0 announces, until it announces 0. */
static void follow(struct samples *samples, run_function run, const struct row *row,
                   const struct site *site)
{
    long batch;
    while ((batch = site_share(0)) > 0) {
        site_barrier();
        run(row, site, batch);
        site_barrier();
        samples->calls += batch;
    }
}

void sample_together(struct samples *samples, run_function run, const struct row *row,
                     const struct site *site, double seconds)
{
    if (site->me != 0) {
        follow(samples, run, row, site);
        return;
    }
    take(time_batch_together, SHORTEST_BATCH_TOGETHER, samples, run, row, site, seconds);
    site_share(0);
}

static void compute(double nanoseconds)
{
    double begin = sample_clock();
    while (sample_clock() - begin < nanoseconds) {
    }
}

/* Time one call. It counts if it begins before `over`: after that the target no longer computes. */
static void time_call(struct samples *samples, run_function run, const struct row *row,
                      const struct site *site, double over)
{
    double begin = sample_clock();
    run(row, site, 1);
    samples->calls++;
    if (begin < over) samples_keep(samples, sample_clock() - begin);
}

void sample_steady(struct samples *samples, run_function run, const struct row *row,
                   const struct site *site, double seconds)
{
    double begin = sample_clock(), warm = begin + WARM_UP_SHARE * seconds * 1e9,
           end = begin + seconds * 1e9;

    if (site->me != 0) {
        compute(seconds * 1e9 + LONGER);
        return;
    }
    while (sample_clock() < warm)
        time_call(samples, run, row, site, 0);
    while (sample_clock() < end)
        time_call(samples, run, row, site, end);
}

void sample_first(struct samples *samples, run_function run, const struct row *row,
                  const struct site *site, double seconds)
{
    const struct timespec silence = {.tv_nsec = (long)SILENCE};
    double end = sample_clock() + seconds * 1e9 + SILENCE;

    if (site->me != 0) {
        compute(seconds * 1e9 + SILENCE + LONGER);
        return;
    }
    while (sample_clock() < end) {
        nanosleep(&silence, NULL);
        time_call(samples, run, row, site, end + SILENCE);
    }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void samples_summary(struct samples *samples, struct timing *timing)
{
    long n = samples->count;
    *timing = (struct timing){0};
    if (n == 0) return;
    qsort(samples->times, (size_t)n, sizeof *samples->times, ascending);
    timing->best = samples->times[0];
    timing->median =
        n % 2 ? samples->times[n / 2] : (samples->times[n / 2 - 1] + samples->times[n / 2]) / 2;
    timing->spread = (samples->times[n - 1 - n / 10] - samples->times[n / 10]) / timing->median;
}

void samples_free(struct samples *samples)
{
    free(samples->times);
    *samples = (struct samples){0};
}
