/* row.h - one row of the benchmark: what is measured, how its data are prepared and checked; its
 * result; groups of rows. */
#ifndef ARMCI_BENCH_ROW_H
#define ARMCI_BENCH_ROW_H

#include "sample.h"
#include "site.h"

#include <stdbool.h>

/* The bytes that one operation moves: segments of `bytes` bytes, with a stride on each side. */
struct patch {
    int segments;
    int bytes;
    int remote_stride, local_stride; /* bytes; unused for one segment */
};

enum who {
    ALONE,    /* rank 0 works, the others wait in a barrier */
    TOGETHER, /* all ranks work at the same time */
    STEADY,   /* rank 0 works, the others compute without library calls; each call is timed */
    FIRST     /* the same, with a pause before each call */
};

struct row {
    const char *name;
    enum who who;
    struct patch patch; /* no segments: not compared with memcpy */
    /* Execute the operation `times` times. */
    void (*run)(const struct row *row, const struct site *site, long times);
    /* On every rank, before the operation: initialize the data from the seed. */
    void (*prepare)(const struct row *row, const struct site *site, int seed);
    /* On every rank, after completion: are the data as `times` operations (of each rank that works)
     * leave them? */
    bool (*check)(const struct row *row, const struct site *site, int seed, long times);
    /* Instead of prepare and check, for operations that change no data. Collective: does the
     * operation work? */
    bool (*prove)(const struct site *site, int seed);
    /* memcpy of the same bytes in the same direction; NULL: not compared. */
    void (*copy)(const struct row *row, const struct site *site, long times);
    /* What this row's time is divided by: a row that is measured in turns with it, or else the name
     * of an earlier row of the group, where the two cannot take turns. NULL: none. */
    const struct row *beside;
    const char *versus;
    bool rate;         /* report the ratio as a part of the other row's bandwidth */
    double shortest;   /* minimum length of a batch, ns; 0: the default */
    run_function step; /* for a `run` with a fence: the calls without it */
    bool (*available)(const struct site *site); /* NULL: always; the same answer on every rank */
};

/* Total time of a non-blocking operation for increasing amounts of computation between its start
 * and the wait. */
enum { CURVE_POINTS = 12 };
struct curve {
    double work[CURVE_POINTS], total[CURVE_POINTS]; /* ns, medians */
    double hidden; /* part of the operation's time that the computation hid, at the best point: 1 is
                      all */
};

/* Of single operations, in ns: what 999 of 1000 do not exceed, and the worst; how long the same
 * threads had to wait for a processor at worst; the worst time of an operation without that wait;
 * and the longest of the direct transfers beside them. */
struct tail {
    double p999, worst, waited, rest, direct;
};

struct result {
    const char *name;
    bool valid;
    struct timing time;
    double round_trip;  /* ns of a message there and back beside the row; 0: not measured */
    double memcpy_best; /* ns; 0: not measured */
    const char *versus;
    struct timing beside; /* of the row measured in turns with this one; all 0: none */
    double versus_ratio, versus_median; /* of the best times and of the medians; 0: none */
    bool rate;
    const struct curve *curve; /* NULL: none */
    const struct tail *tail;   /* NULL: none */
};

/* For rows with a `step`: a fence behind each call; one fence behind all. */
void row_run_fenced(const struct row *row, const struct site *site, long times);
void row_run_stream(const struct row *row, const struct site *site, long times);
/* The kind with a fence behind each call. */
struct row row_fenced(const struct row *kind);
/* Write "KIND 64 KiB": one segment of so many bytes; "KIND 64 x 1 KiB": several. */
void row_name(char *name, size_t room, const char *kind, const struct patch *patch);
/* Bytes that one operation of the row moves. */
static inline long row_bytes(const struct row *row)
{
    return (long)row->patch.segments * row->patch.bytes;
}
/* The parts of a measurement, all collective.
 * Execute the row once and check the data. */
bool row_works(const struct row *row, const struct site *site);
/* Initialize the data. After `times` operations: complete all operations and check the data on
 * every rank. */
void row_prepare(const struct row *row, const struct site *site, int seed);
bool row_check(const struct row *row, const struct site *site, int seed, long times);
/* Check the row, measure it for about `seconds`, and check it again. Collective; all ranks get
 * result->valid, rank 0 the rest. */
void row_measure(const struct row *row, const struct site *site, double seconds,
                 struct result *result);

/* A group of rows: one word of the command line. The words "regions" and "remote" have two groups.
 */
struct group {
    const char *word;
    int count;
    const struct row *rows;
    /* Make the rows and their resources; may change the site. Collective; NULL: nothing to do.
     * enter returns false if out of memory; then the group is skipped and leave is not called. */
    bool (*enter)(struct site *site);
    void (*leave)(struct site *site);
    /* Measures a row; NULL: row_measure. */
    void (*measure)(const struct row *row, const struct site *site, double seconds,
                    struct result *result);
};

extern const struct group group_cold, group_fences, group_foreign, group_methods, group_passive,
    group_worst;
extern const struct group group_latency, group_bandwidth, group_strided, group_vector,
    group_nonblocking, group_single_region, group_many_regions, group_most_regions,
    group_contention, group_many, group_remote, group_computing, group_overlap, group_stall,
    group_matmul, group_mg, group_sparse, group_mix, group_pool;

/* Kinds: calls, data and checks shared by rows of several groups. A group copies a kind and adds
 * the name and the patch. */
/* data.c: one segment; strided.c: patches; vector.c: lists of addresses. */
extern const struct row kind_put, kind_get, kind_acc;
extern const struct row kind_put_strided, kind_get_strided, kind_acc_strided;
extern const struct row kind_put_vector, kind_get_vector, kind_acc_vector;
/* latency.c; the barrier is a row of all ranks. */
extern const struct row kind_rmw, kind_lock, kind_fence, kind_barrier;
/* nonblocking.c: each segment of the patch is a separate put or get. */
extern const struct row kind_puts, kind_puts_implicit, kind_puts_aggregate;
extern const struct row kind_gets, kind_gets_implicit, kind_gets_aggregate;

#endif
