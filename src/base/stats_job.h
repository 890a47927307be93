/* stats_job.h - the statistics of a job: the counts of each process as they are sent, their sum, and the reports. */
#ifndef ARMCII_STATS_JOB_H
#define ARMCII_STATS_JOB_H

#include <stdio.h>

#include "base/stats.h"

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
    struct stats_travel travels[PATHS];
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
/* The counts of this process in one block of *bytes bytes; the caller frees it. */
struct stats_process *armcii_stats_pack(int rank, int node, size_t *bytes);

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
    struct stats_travel travels[PATHS];
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
