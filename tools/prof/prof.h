/* prof.h - the profiler: statistics (ARMCI_STATS), and reports about calls that wait
 * (ARMCI_HANG_REPORT, SIGUSR1).
 *
 * A generated wrapper defines each public function that moves data or waits, announces the call,
 * and calls the profiling name (parmci.h). The profiler uses public functions and MPI only. */
#ifndef ARMCII_PROF_H
#define ARMCII_PROF_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <armcix.h>

/* How data move, in the order of the tables. */
enum path {
    PATH_NONE,
    PATH_AGGREGATED,
    PATH_DIRECT,
    PATH_SERVER,
    PATH_CONTIGUOUS,
    PATH_DATATYPE,
    PATH_BATCHED,
    PATH_CONSERVATIVE,
    PATH_ATOMIC,
    PATHS
};

/* ---- calls (calls.c) ---- */

/* The call that a thread is in, or its last one. The thread writes it; reports of any process of
 * the node read it at any time: single values are whole, several may be of different calls. */
struct call {
    atomic_int function; /* index into the names; CALL_NONE: no call yet */
    atomic_int target;   /* -1: none, or all */
    atomic_int mutex;    /* the awaited mutex; -1: none */
    atomic_long begun;   /* nanoseconds; 0: outside of calls */
    atomic_long ended;
    atomic_ulong collective; /* number of this collective of all processes; 0: none */
    atomic_bool reported;
};
enum { CALL_NONE = -1, CALL_THREADS = 16 /* further threads are not reported */ };

/* What a process tells others of its node: global memory. */
struct slot {
    atomic_int pid;
    atomic_uint threads;
    atomic_ulong collectives;         /* of all processes, as yet */
    atomic_int held, mutex, owner;    /* number of mutexes held, and the last one; mutex -1: none */
    atomic_bool silent, contradicted; /* reported to stand still; in another collective */
    struct call calls[CALL_THREADS];
};

struct prof {
    bool running;
    int rank, size, node, nodes;
    struct slot *slot;   /* of this process */
    struct slot **peers; /* [size]; NULL: on another node */
    char file[4096];     /* of ARMCI_STATS; "": a table */
    long limit;          /* of a call that waits, nanoseconds; 0: none */
    MPI_Comm comm;       /* private */
};
extern struct prof armcii_prof;

/* Names of functions, by index: generated. */
extern const char *const armcii_prof_names[];
extern const int armcii_prof_functions;

long armcii_prof_clock(void);
/* Zeroed memory; ends the job where there is none. */
void *armcii_prof_alloc(size_t n, size_t size);
void armcii_prof_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Around a call of an initialization, whose result is `rc`, and of ARMCI_Finalize. */
void armcii_prof_before_init(void);
void armcii_prof_after_init(bool succeeded);
void armcii_prof_finalize(int function);

/* What the wrapper of a call keeps. */
struct span {
    struct call *call; /* NULL: the profiler is off, or the call is inside another one */
    bool counted;
    int function;
    long begun;
    enum path path;
    uint64_t bytes;
    unsigned long before[PATHS - PATH_SERVER];
};
/* Announce a call of a public function. target: -1: none. is_collective: all processes call it. */
struct span armcii_prof_enter(int function, int target, bool is_collective);
void armcii_prof_leave(struct span *s);

/* The call has moved data, or has requested it. */
void armcii_prof_contiguous(struct span *s, int kind, int target, const void *remote,
                            uint64_t bytes);
void armcii_prof_strided(struct span *s, int kind, int target, const void *remote,
                         const int *src_stride, const int *dst_stride, const int *count,
                         int levels);
void armcii_prof_vector(struct span *s, int kind, int target, const armci_giov_t *iov, int n);
/* The call waits for a mutex; has acquired it; has released it. */
void armcii_prof_await(struct span *s, int mutex);
void armcii_prof_hold(int mutex, int owner);
void armcii_prof_release(int mutex, int owner);
/* The call has allocated or freed memory of this process at `base`. */
void armcii_prof_allocated(const void *base, uint64_t bytes);
void armcii_prof_freed(const void *base);

/* ---- reports about calls that wait, and SIGTERM (watch.c) ---- */

/* Before MPI starts, where ARMCI starts it: learn whether the program handles SIGUSR1. */
void armcii_prof_find_handler(void);
void armcii_prof_watch_start(void);
void armcii_prof_watch_end(void);

/* ---- statistics (calls.c, statistics.c) ---- */

enum stats_kind { STATS_PUT, STATS_GET, STATS_ACC, STATS_RMW, STATS_KINDS };

/* Bucket 0 counts zeros, bucket b numbers from 2^(b-1) to 2^b - 1. */
enum { STATS_BUCKETS = 48, STATS_NAME = 40, STATS_MOST_ROWS = 192 };

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

/* The counts of this process; valid from start to end. */
struct stats {
    bool on;
    struct stats_row *rows; /* [functions] */
    struct stats_carried carried[PATHS];
    struct stats_target *targets; /* [processes] */
    struct stats_regions regions;
    uint64_t begun_ns, elapsed_ns; /* start; time from start to stop */
    long clock_ns;                 /* what two readings of the clock add to a call */
};
extern struct stats armcii_stats;
void armcii_stats_lock(void);
void armcii_stats_unlock(void);
/* Count a call that ended, or would end now. */
void armcii_stats_add_call(struct stats_row *row, enum path path, uint64_t bytes, uint64_t ns);

void armcii_stats_start(void);
/* Collective: the first process prints or writes what all have counted. */
void armcii_stats_finish(void);
/* Write the counts of this process alone, without MPI. */
void armcii_stats_write_own(const char *file);
/* True if the file is a report of this tool, or does not exist. */
bool armcii_stats_may_replace(const char *file);

/* ---- statistics of a job (report.c): the counts of each process as they are sent,
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
