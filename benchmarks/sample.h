/* sample.h - timing of batches of calls: one call may take less time than reading the clock. */
#ifndef ARMCI_BENCH_SAMPLE_H
#define ARMCI_BENCH_SAMPLE_H

#include "site.h"

struct row;
typedef void (*run_function)(const struct row *row, const struct site *site, long times);

struct samples {
    double *times; /* ns per call, one entry per batch */
    long count, room;
    long batch;      /* calls in a batch; 0: not determined yet */
    long calls;      /* all calls, warm-up included */
    double shortest; /* minimum length of a batch of sample_alone, ns; 0: the default */
};

struct timing {
    double best, median; /* ns per call */
    double spread;       /* (9th decile - 1st decile) / median */
};

/* The clock, in ns. */
double sample_clock(void);
/* Warm up, determine the size of a batch, take samples for `seconds`. Called by rank 0. */
void sample_alone(struct samples *samples, run_function run, const struct row *row,
                  const struct site *site, double seconds);
/* The same with all ranks working, timed until the last rank has finished. Collective; rank 0
 * keeps the samples, all ranks the number of calls. */
void sample_together(struct samples *samples, run_function run, const struct row *row,
                     const struct site *site, double seconds);
/* Time single calls while the other ranks compute without library calls. steady: call after call
 * for `seconds`. first: each call after a pause, so that the server sleeps. Collective; rank 0
 * keeps only calls that begin while the others compute. */
void sample_steady(struct samples *samples, run_function run, const struct row *row,
                   const struct site *site, double seconds);
void sample_first(struct samples *samples, run_function run, const struct row *row,
                  const struct site *site, double seconds);
/* Add a sample. */
void samples_keep(struct samples *samples, double time);
/* Summarize the samples; all 0 if there are none. */
void samples_summary(struct samples *samples, struct timing *timing);
void samples_free(struct samples *samples);

#endif
