/* statistics.h - counts calls, bytes and time by public function and by path (ARMCI_STATS).
 *
 * A *visit* is one call of a public function by the program, from armcii_stats_enter to armcii_stats_leave. Calls inside a visit are part
 * of it. Public functions announce visits, transfers and regions; observe.c announces what transports carry. */
#ifndef ARMCII_STATISTICS_H
#define ARMCII_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "observe/statistics_report.h"

/* The counts of this process; valid from armcii_stats_start to armcii_stats_end. */
struct stats {
    struct stats_row *rows; /* [n], in the order of their first call */
    size_t n;
    struct stats_carried carried[PATHS];
    struct stats_target *targets; /* [processes] */
    int processes;
    struct stats_regions regions;
    uint64_t begun_ns, elapsed_ns; /* start; time from start to stop */
};
extern struct stats armcii_stats;
extern bool armcii_stats_on;

/* Collective over the world: count, if ARMCI_STATS of the first process says so. */
void armcii_statistics_start(void);
/* Collective over the world: stop counting; the first process prints or writes what all have counted. */
void armcii_statistics_end(void);

/* The parts of these that concern this process only.  The counts stay from stop to end. */
void armcii_stats_start(int processes);
void armcii_stats_stop(void);
void armcii_stats_end(void);

void armcii_stats_enter(const char *function);
void armcii_stats_leave(void);

/* A transport carries a transfer. */
void armcii_stats_carried(enum path path, size_t bytes, size_t segments);

/* The program has requested a transfer; once for each, after it has started.  queued: an aggregate handle keeps it.  Otherwise it was
 * direct if no transport carried it: the fast path did. */
void armcii_stats_note_transfer(enum stats_kind kind, int target, size_t bytes, size_t segments, bool queued);
static inline void armcii_stats_transfer(enum stats_kind kind, int target, size_t bytes, size_t segments)
{
    if (__builtin_expect(armcii_stats_on, 0)) armcii_stats_note_transfer(kind, target, bytes, segments, false);
}

/* The program has allocated or freed a local segment. */
void armcii_stats_region(bool made, size_t bytes);

#endif
