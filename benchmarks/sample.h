/* sample.h - the clock: batches of calls are timed, since one call may be shorter than a look at the clock. */
#ifndef ARMCI_BENCH_SAMPLE_H
#define ARMCI_BENCH_SAMPLE_H

#include "site.h"

struct row;
typedef void (*run_function)(const struct row *row, const struct site *site, long times);

struct samples {
    double *times; /* ns for one call, a batch each */
    long count, room;
    long batch;      /* calls in a batch; 0: not yet found */
    long calls;      /* all, those of the warm-up included */
    double shortest; /* how long a batch of sample_alone lasts at least, in ns; 0: as suits calls in memory */
};

struct timing {
    double best, median; /* ns for one call */
    double spread;       /* the 9th decile less the 1st, divided by the median */
};

/* The clock, in ns. */
double sample_clock(void);
/* Warm up, find the batch that takes long enough for the clock, take samples for so many seconds.  Called by rank 0. */
void sample_alone(struct samples *samples, run_function run, const struct row *row, const struct site *site, double seconds);
/* The same with all ranks at work, from a common start to the end of the last.  Collective; samples are kept by rank 0,
 * the number of calls by all. */
void sample_together(struct samples *samples, run_function run, const struct row *row, const struct site *site, double seconds);
/* Calls timed one by one while the other ranks compute without a call into any library: one call after another for so
 * many seconds; or each after so long a silence that whoever serves it has gone to sleep.  Collective; only calls that
 * begin while the others compute are kept, by rank 0. */
void sample_steady(struct samples *samples, run_function run, const struct row *row, const struct site *site, double seconds);
void sample_first(struct samples *samples, run_function run, const struct row *row, const struct site *site, double seconds);
/* Add a sample. */
void samples_keep(struct samples *samples, double time);
/* Sums the samples up; all 0 where there are none. */
void samples_summary(struct samples *samples, struct timing *timing);
void samples_free(struct samples *samples);

#endif
