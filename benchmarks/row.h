/* row.h - one row of the benchmark: what is measured, how its data are prepared and checked; and its result. */
#ifndef ARMCI_BENCH_ROW_H
#define ARMCI_BENCH_ROW_H

#include "sample.h"
#include "site.h"

#include <stdbool.h>

/* The bytes that one operation moves: segments of `bytes` bytes, at these distances on the two sides. */
struct patch {
    int segments;
    int bytes;
    int remote_stride, local_stride; /* in bytes; without meaning for one segment */
};

enum who {
    ALONE,    /* rank 0 works, the others wait in a barrier */
    TOGETHER, /* all ranks work at the same time */
    STEADY,   /* rank 0 works, the others compute without a call; calls are timed one by one */
    FIRST     /* the same, and each call comes after a silence */
};

struct row {
    const char *name;
    enum who who;
    struct patch patch; /* no segments: the operation moves no data worth comparing with memcpy */
    /* Carry the operation out `times` times. */
    void (*run)(const struct row *row, const struct site *site, long times);
    /* On every rank, before the operation: lay out data that depend on the seed, a background to be overwritten. */
    void (*prepare)(const struct row *row, const struct site *site, int seed);
    /* On every rank, after everything is complete: is all as `times` operations (of each rank that works) leave it? */
    bool (*check)(const struct row *row, const struct site *site, int seed, long times);
    /* Instead of prepare and check, for operations that leave no trace.  Collective: does the operation do its work? */
    bool (*prove)(const struct site *site, int seed);
    /* memcpy of the same bytes in the same direction; NULL: not to be compared. */
    void (*copy)(const struct row *row, const struct site *site, long times);
    /* What this row's time is divided by: a row that is measured in turns with it, or else the name of an earlier row of the group,
     * where the two cannot take turns.  NULL: none. */
    const struct row *beside;
    const char *versus;
    bool rate;         /* report the ratio as a part of the other row's bandwidth */
    double shortest;   /* a batch lasts at least this long, in ns; 0: as suits calls in memory */
    run_function step; /* for a `run` that does something after each call, or at the end: the calls themselves */
};

/* How a non-blocking operation takes longer as more and more computation comes between its start and the wait. */
enum { CURVE_POINTS = 12 };
struct curve {
    double work[CURVE_POINTS], total[CURVE_POINTS]; /* ns, medians */
    double hidden; /* how much of the operation's time went on behind the computation, at the best point: 1 is all */
};

/* Of single operations, in ns: what 999 of 1000 do not exceed, and the worst; how long the same threads had to wait for a processor at
 * worst; and the worst time of an operation without that wait. */
struct tail {
    double p999, worst, waited, rest;
};

struct result {
    const char *name;
    bool valid;
    struct timing time;
    double memcpy_best; /* ns; 0: not measured */
    const char *versus;
    struct timing beside;               /* of the row that was measured in turns; all 0: none */
    double versus_ratio, versus_median; /* of the best times and of the medians; 0: none */
    bool rate;
    const struct curve *curve; /* NULL: none */
    const struct tail *tail;   /* NULL: none */
};

/* Bytes that one operation of the row moves. */
long row_bytes(const struct row *row);
/* The parts of a measurement.  All are collective.
 * Carry the row out once and look at the data; */
bool row_works(const struct row *row, const struct site *site);
/* lay out data; complete everything and let every rank look at its part, after the operation was done so many times. */
void row_prepare(const struct row *row, const struct site *site, int seed);
bool row_check(const struct row *row, const struct site *site, int seed, long times);
/* Validate the row, measure it for about so many seconds, and validate again.  Collective; the result is rank 0's,
 * result->valid everybody's. */
void row_measure(const struct row *row, const struct site *site, double seconds, struct result *result);

#endif
