/* stats.h - counting what the program asks of the library (ARMCI_STATS): calls, bytes and time, by public function and by path.
 *
 * A *visit* is one call of a public function, from door to door; what happens inside it is noted on the way, and added up when it
 * leaves.  Counts are exact.  Time is: of calls that are over sooner than a clock is read twice, it is measured for some, by chance, and
 * estimated for all. */
#ifndef ARMCII_STATS_H
#define ARMCII_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum stats_kind { STATS_PUT, STATS_GET, STATS_ACC, STATS_RMW, STATS_KINDS }; /* the first three in the order of enum rma_kind */

/* How data travelled.  NONE: a call that moves nothing; KEPT: a request that an aggregate handle keeps, to go with others. */
enum stats_path {
    STATS_NONE, STATS_AGGREGATED, STATS_DIRECT, STATS_SERVER, STATS_CONTIGUOUS, STATS_DATATYPE, STATS_BATCHED, STATS_CONSERVATIVE, STATS_ATOMIC,
    STATS_PATHS
};

/* Bucket 0 counts zeros, bucket b numbers from 2^(b-1) to 2^b - 1. */
enum { STATS_BUCKETS = 48, STATS_NAME = 40 };

struct stats_cell {
    uint64_t calls, bytes;
    uint64_t ns;                       /* of calls that were all timed */
    uint64_t quick, quick_timed, quick_ns; /* quick calls, those of them that were timed, and their time */
    uint64_t interrupted, interrupted_ns;  /* timed ones that took far too long: not among quick_timed */
};

/* What is known of one public function. */
struct stats_row {
    char name[STATS_NAME];
    struct stats_cell by[STATS_PATHS];
    uint64_t longest;                 /* ns */
    uint64_t sizes[STATS_BUCKETS];    /* transfers by bytes */
    uint64_t segments[STATS_BUCKETS]; /* transfers by contiguous pieces */
    uint64_t took[STATS_BUCKETS];     /* timed calls by ns */
    bool is_quick;                    /* was seen to be over soon */
    unsigned untimed;                 /* calls until one is timed, when it is quick */
};

/* Transfers as they really travelled: what was kept goes as one. */
struct stats_travel {
    uint64_t transfers, bytes, segments;
};

struct stats_target {
    uint64_t calls[STATS_KINDS], bytes[STATS_KINDS];
};

struct stats_regions {
    uint64_t made, now, most;             /* regions with a slice here, and pieces of ARMCI_Memget */
    uint64_t bytes_now, bytes_most;       /* of their slices here */
};

/* Everything that is counted on this process; valid between start and end. */
struct stats {
    struct stats_row *rows; /* [n], in the order in which they were first called */
    size_t n;
    struct stats_travel travels[STATS_PATHS];
    struct stats_target *targets; /* [processes] */
    int processes;
    struct stats_regions regions;
    uint64_t elapsed_ns; /* from start to stop */
};
extern struct stats armcii_stats;
extern bool armcii_stats_on;

void armcii_stats_start(int processes);
/* Stop counting; the figures stay until armcii_stats_end. */
void armcii_stats_stop(void);
void armcii_stats_end(void);

/* The door: in and out.  Visits inside a visit are part of it. */
void armcii_stats_enter(const char *function);
void armcii_stats_leave(void);

/* Each of what follows is called inside a visit, or does nothing; while statistics are off it is one branch. */

void armcii_stats_note_asked(enum stats_kind kind, int target, size_t bytes, size_t segments);
void armcii_stats_note_path(enum stats_path path, size_t bytes, size_t segments);
void armcii_stats_note_quick(void);
void armcii_stats_note_slow(void);
void armcii_stats_note_region(bool made, size_t bytes);

/* The program asks for a transfer, once for each. */
static inline void armcii_stats_asked(enum stats_kind kind, int target, size_t bytes, size_t segments)
{
    if (__builtin_expect(armcii_stats_on, 0)) armcii_stats_note_asked(kind, target, bytes, segments);
}

/* Data are about to travel. */
static inline void armcii_stats_travels(enum stats_path path, size_t bytes, size_t segments)
{
    if (__builtin_expect(armcii_stats_on, 0)) armcii_stats_note_path(path, bytes, segments);
}

/* What moves no data, but is quick when there is nothing to do: there is nothing; there is something, and it is timed from here. */
static inline void armcii_stats_quick(void)
{
    if (__builtin_expect(armcii_stats_on, 0)) armcii_stats_note_quick();
}
static inline void armcii_stats_slow(void)
{
    if (__builtin_expect(armcii_stats_on, 0)) armcii_stats_note_slow();
}

/* Both, for a contiguous piece that is loaded or stored on the spot. */
void armcii_stats_note_at_once(enum stats_kind kind, int target, size_t bytes);
static inline void armcii_stats_at_once(enum stats_kind kind, int target, size_t bytes)
{
    if (__builtin_expect(armcii_stats_on, 0)) armcii_stats_note_at_once(kind, target, bytes);
}

/* A slice here comes, or goes. */
static inline void armcii_stats_region_made(size_t bytes)
{
    if (armcii_stats_on) armcii_stats_note_region(true, bytes);
}
static inline void armcii_stats_region_gone(size_t bytes)
{
    if (armcii_stats_on) armcii_stats_note_region(false, bytes);
}

/* The name of a path as people read it. */
const char *armcii_stats_path_name(enum stats_path path);

/* What a bucket counts from. */
uint64_t armcii_stats_bucket_from(int bucket);
/* Time of all calls of a cell, the estimated part included. */
double armcii_stats_seconds(const struct stats_cell *cell);

#endif
