/* statistics_report.h - the statistics of a job: the counts of each process as they are sent, their sum, and the reports. */
#ifndef ARMCII_STATISTICS_REPORT_H
#define ARMCII_STATISTICS_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "transport/transport.h"

enum stats_kind { STATS_PUT, STATS_GET, STATS_ACC, STATS_RMW, STATS_KINDS }; /* the first three in the order of enum rma_kind */

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
enum stats_family armcii_stats_family(const char *function);
const char *armcii_stats_family_name(enum stats_family family);
/* "contiguous", "strided" or "vector" if the function transfers data, else "". */
const char *armcii_stats_form(const char *function);
bool armcii_stats_is_nonblocking(const char *function);

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
