/* sample.c - timing of batches, alone or together, and what is told of the samples. */
#include "sample.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A batch lasts at least this long: reading the clock costs some 20 ns, so 0.1 % at most, and a call of 5 ns is
 * repeated 5 000 to 10 000 times. */
static const double SHORTEST_BATCH = 5e4;
/* Where all ranks work, longer, so that the barrier at the end counts for little. */
static const double SHORTEST_BATCH_TOGETHER = 2e6;
/* How long the others compute beyond the time for samples, and the silence before a first call, in ns. */
static const double LONGER = 2e8, SILENCE = 1e8;
/* As many batches in a row have to be long enough: the first one may only have been slow. */
enum { LONG_ENOUGH = 3 };
/* Taken even when the time is over, for operations that are very slow. */
enum { FEWEST_SAMPLES = 2 };
/* The first part of the time warms up caches, branch predictors, connections and the clock rate of the core. */
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

/* What a batch took, in ns: the caller's own part, and until everybody had finished. */
struct duration {
    double own, all;
};

static struct duration time_batch(struct samples *samples, run_function run, const struct row *row, const struct site *site)
{
    double begin = sample_clock();
    run(row, site, samples->batch);
    double own = sample_clock() - begin;
    samples->calls += samples->batch;
    return (struct duration){own, own};
}

/* The same with the other ranks, which are in follow(). */
static struct duration time_batch_together(struct samples *samples, run_function run, const struct row *row, const struct site *site)
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

typedef struct duration (*batch_function)(struct samples *samples, run_function run, const struct row *row, const struct site *site);

/* The batch is as long as the caller's own part says: barriers take very long where ranks outnumber cores. */
static void take(batch_function time, double shortest, struct samples *samples, run_function run, const struct row *row,
                 const struct site *site, double seconds)
{
    double begin = sample_clock(), end = begin + seconds * 1e9, warm = begin + WARM_UP_SHARE * seconds * 1e9;
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
        if (last.own < shortest / 2) { /* the warm-up was disturbed, and the batch is too small */
            samples->batch *= 2;
            continue;
        }
        samples_keep(samples, last.all / (double)samples->batch);
        kept++;
    }
}

void sample_alone(struct samples *samples, run_function run, const struct row *row, const struct site *site, double seconds)
{
    double shortest = samples->shortest > 0 ? samples->shortest : SHORTEST_BATCH;
    take(time_batch, shortest, samples, run, row, site, seconds);
}

/* Work as often as rank 0 says, until it says 0. */
static void follow(struct samples *samples, run_function run, const struct row *row, const struct site *site)
{
    long batch;
    while ((batch = site_share(0)) > 0) {
        site_barrier();
        run(row, site, batch);
        site_barrier();
        samples->calls += batch;
    }
}

void sample_together(struct samples *samples, run_function run, const struct row *row, const struct site *site, double seconds)
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

/* One call; its time counts if it began before `over`: what comes later does not meet a target that computes. */
static void time_call(struct samples *samples, run_function run, const struct row *row, const struct site *site, double over)
{
    double begin = sample_clock();
    run(row, site, 1);
    samples->calls++;
    if (begin < over) samples_keep(samples, sample_clock() - begin);
}

void sample_steady(struct samples *samples, run_function run, const struct row *row, const struct site *site, double seconds)
{
    double begin = sample_clock(), warm = begin + WARM_UP_SHARE * seconds * 1e9, end = begin + seconds * 1e9;

    if (site->me != 0) {
        compute(seconds * 1e9 + LONGER);
        return;
    }
    while (sample_clock() < warm)
        time_call(samples, run, row, site, 0);
    while (sample_clock() < end)
        time_call(samples, run, row, site, end);
}

void sample_first(struct samples *samples, run_function run, const struct row *row, const struct site *site, double seconds)
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
    timing->median = n % 2 ? samples->times[n / 2] : (samples->times[n / 2 - 1] + samples->times[n / 2]) / 2;
    timing->spread = (samples->times[n - 1 - n / 10] - samples->times[n / 10]) / timing->median;
}

void samples_free(struct samples *samples)
{
    free(samples->times);
    *samples = (struct samples){0};
}
