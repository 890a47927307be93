/* stats.h - counts calls, bytes and time by public function and by path (ARMCI_STATS).
 *
 * A *visit* is one call of a public function by the program, from armcii_stats_enter to armcii_stats_leave. Calls inside a visit are part
 * of it. While statistics are off, each function here costs one test of armcii_stats_on. */
#ifndef ARMCII_STATS_H
#define ARMCII_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/path.h"

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
struct stats_travel {
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
    struct stats_row *rows; /* [n], in the order of their first call */
    size_t n;
    struct stats_travel travels[PATHS];
    struct stats_target *targets; /* [processes] */
    int processes;
    struct stats_regions regions;
    uint64_t begun_ns, elapsed_ns; /* start; time from start to stop */
};
extern struct stats armcii_stats;
extern bool armcii_stats_on;

void armcii_stats_start(int processes);
/* Stop counting; the counts stay until armcii_stats_end. */
void armcii_stats_stop(void);
void armcii_stats_end(void);

void armcii_stats_enter(const char *function);
void armcii_stats_leave(void);

void armcii_stats_note_asked(enum stats_kind kind, int target, size_t bytes, size_t segments);
void armcii_stats_note_path(enum path path, size_t bytes, size_t segments);
void armcii_stats_note_at_once(enum stats_kind kind, int target, size_t bytes);
void armcii_stats_note_region(bool made, size_t bytes);

/* The program requests a transfer; once for each. */
static inline void armcii_stats_asked(enum stats_kind kind, int target, size_t bytes, size_t segments)
{
    if (__builtin_expect(armcii_stats_on, 0)) armcii_stats_note_asked(kind, target, bytes, segments);
}

/* A transfer is about to be issued. */
static inline void armcii_stats_travels(enum path path, size_t bytes, size_t segments)
{
    if (__builtin_expect(armcii_stats_on, 0)) armcii_stats_note_path(path, bytes, segments);
}

/* Both, for a contiguous transfer by loads and stores. */
static inline void armcii_stats_at_once(enum stats_kind kind, int target, size_t bytes)
{
    if (__builtin_expect(armcii_stats_on, 0)) armcii_stats_note_at_once(kind, target, bytes);
}

static inline void armcii_stats_region_made(size_t bytes)
{
    if (armcii_stats_on) armcii_stats_note_region(true, bytes);
}
static inline void armcii_stats_region_gone(size_t bytes)
{
    if (armcii_stats_on) armcii_stats_note_region(false, bytes);
}

const char *armcii_stats_path_name(enum path path);
/* The smallest number in a bucket. */
uint64_t armcii_stats_bucket_from(int bucket);

#endif
