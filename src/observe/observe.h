/* observe.h - statistics (ARMCI_STATS) and the hang report (ARMCI_HANG_REPORT) look at the library
 * from above.
 *
 * Public functions announce calls, transfers and regions. What transports carry is observed at the
 * route: an observed region has routes whose transports are copies of the real ones, except that
 * start and rmw belong to the observer, which calls the real ones. Nothing below knows of this;
 * with both off, regions keep their routes. */
#ifndef ARMCII_OBSERVE_H
#define ARMCII_OBSERVE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "transport/transport.h"

/* The last step of the start. */
void armcii_observe_start(void);
/* Collective over the world: the first step of the end. */
void armcii_observe_end(void);

/* Announce a call of a public function, for statistics and the report about long waits. process:
 * the target, or -1. */
void armcii_call_begin(const char *function, int process);
void armcii_call_end(void);

/* Collective over its team: observe a new region of the program. */
void armcii_observe_region(struct region *r);
/* The same for memory that this process alone has allocated. */
void armcii_observe_memget(const void *memory, size_t bytes);

/* ---- statistics (statistics.c) ----
 *
 * They count calls, bytes and time by public function and by path. */

enum stats_kind {
    STATS_PUT,
    STATS_GET,
    STATS_ACC,
    STATS_RMW,
    STATS_KINDS
}; /* the first three in the order of enum op_kind */

/* Bucket 0 counts zeros, bucket b numbers from 2^(b-1) to 2^b - 1. */
enum { STATS_BUCKETS = 48, STATS_NAME = 40, STATS_MOST_ROWS = 256 };

struct stats_cell {
    uint64_t calls, bytes, ns;
};

/* One public function. */
struct stats_row {
    char name[STATS_NAME];
    struct stats_cell by[PATHS];
    uint64_t longest;                 /* ns */
    uint64_t sizes[STATS_BUCKETS];    /* transfers by bytes */
    uint64_t segments[STATS_BUCKETS]; /* transfers by segments */
    uint64_t took[STATS_BUCKETS];     /* calls by ns */
};

/* Transfers that were issued; the requests of an aggregate handle are one. */
struct stats_carried {
    uint64_t transfers, bytes, segments;
};

struct stats_target {
    uint64_t calls[STATS_KINDS], bytes[STATS_KINDS];
};

/* Local segments of regions, and blocks of ARMCI_Memget. */
struct stats_regions {
    uint64_t made, now, most;
    uint64_t bytes_now, bytes_most;
};

/* The counts of this process; valid from armcii_stats_start to armcii_stats_end. */
struct stats {
    bool on;
    struct stats_row *rows; /* [n], in the order of their first call */
    atomic_size_t n;
    struct stats_carried carried[PATHS];
    struct stats_target *targets; /* [processes] */
    int processes;
    struct stats_regions regions;
    uint64_t begun_ns, elapsed_ns; /* start; time from start to stop */
};
extern struct stats armcii_stats;

/* Count, if ARMCI_STATS says so. */
void armcii_statistics_start(void);
/* Collective over the world: stop counting; the first process prints or writes what all have
 * counted. */
void armcii_statistics_end(void);

/* SIGTERM writes the counts of this process (killed.c). */
void armcii_killed_start(void);
void armcii_killed_end(void);
/* Write the counts of this process alone, without MPI. */
void armcii_stats_write_own(const char *file);

/* The parts of these that concern this process only. The counts stay from stop to end. */
void armcii_stats_start(int processes);
void armcii_stats_stop(void);
void armcii_stats_end(void);

/* The calling thread has begun, and ended, a call. */
struct call;
void armcii_stats_call(struct call *c);
void armcii_stats_called(struct call *c);

/* A transport carries a transfer; observe.c announces it. */
void armcii_stats_carried(enum path path, size_t bytes, size_t segments);

/* The program has requested a transfer; once for each, after it has started. queued: an aggregate
 * handle keeps it. Otherwise it was direct if no transport carried it: the fast path did. */
void armcii_stats_note_transfer(enum stats_kind kind, int target, size_t bytes, size_t segments,
                                bool queued);
static inline void armcii_stats_transfer(enum stats_kind kind, int target, size_t bytes,
                                         size_t segments)
{
    if (__builtin_expect(armcii_stats.on, 0))
        armcii_stats_note_transfer(kind, target, bytes, segments, false);
}

/* The program has allocated or freed a local segment. */
void armcii_stats_region(bool made, size_t bytes);

/* ---- statistics of a job (statistics_report.c): the counts of each process as they are sent,
 * their sum, and the reports ---- */

/* The purpose of a function. */
enum stats_family {
    FAMILY_PUT,
    FAMILY_GET,
    FAMILY_ACC,
    FAMILY_VALUE,
    FAMILY_RMW,
    FAMILY_WAIT,
    FAMILY_FENCE,
    FAMILY_BARRIER,
    FAMILY_LOCK,
    FAMILY_NOTIFY,
    FAMILY_MESSAGE,
    FAMILY_MEMORY,
    FAMILY_OTHER,
    FAMILIES
};
/* The counts of one process: this head, then its rows, then its targets. */
struct stats_far {
    int target;
    struct stats_target of;
};
struct stats_process {
    int rank, node;
    double seconds; /* from start to end */
    size_t rows, targets;
    struct stats_carried carried[PATHS];
    struct stats_regions regions;
};
static inline const struct stats_row *armcii_stats_rows(const struct stats_process *p)
{
    return (const struct stats_row *)(p + 1);
}
static inline const struct stats_far *armcii_stats_targets(const struct stats_process *p)
{
    return (const struct stats_far *)(armcii_stats_rows(p) + p->rows);
}

/* One process in the table. */
struct stats_line {
    double seconds;
    uint64_t calls, bytes, memory; /* memory: maximum in local segments */
    double in[FAMILIES];           /* seconds */
};

enum { STATS_TOP_PAIRS = 8 };
struct stats_pair {
    int from, to;
    uint64_t calls, bytes;
};

struct stats_job {
    const char *library, *mpi; /* versions */
    int processes, nodes;
    bool partial;   /* written by one process */
    double seconds; /* of the slowest process */
    struct stats_row *rows;
    size_t n;
    struct stats_carried carried[PATHS];
    struct stats_regions regions;           /* sums over processes; `most` is the largest */
    struct stats_line *lines;               /* [processes] */
    struct stats_pair top[STATS_TOP_PAIRS]; /* most bytes first; calls 0: unused */
};
void armcii_stats_job_begin(struct stats_job *job, int processes);
void armcii_stats_job_add(struct stats_job *job, const struct stats_process *p);
void armcii_stats_job_end(struct stats_job *job);

/* The sum over all paths. */
struct stats_cell armcii_stats_row_total(const struct stats_row *row);

void armcii_stats_table(FILE *out, const struct stats_job *job);
/* One JSON document: the beginning, each process in the order of the ranks, the end. */
struct json;
void armcii_stats_json_begin(struct json *j, const struct stats_job *job);
void armcii_stats_json_process(struct json *j, const struct stats_process *p);
void armcii_stats_json_end(struct json *j, const struct stats_job *job);

#endif
