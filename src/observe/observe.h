/* observe.h - statistics (ARMCI_STATS) and verification (ARMCI_VERIFY) look at the library from above.
 *
 * Public functions announce calls, transfers and regions. What transports carry is observed at the route: an observed region has routes
 * whose transports are copies of the real ones, except that start and rmw belong to the observer, which calls the real ones. Nothing below
 * knows of this; with both off, regions keep their routes. */
#ifndef ARMCII_OBSERVE_H
#define ARMCII_OBSERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "observe/statistics_report.h"
#include "transport/transport.h"

/* Collective over the world: the last step of the start, and the first of the end. */
void armcii_observe_start(void);
void armcii_observe_end(void);

/* Collective over its team: observe a new region of the program. */
void armcii_observe_region(const char *caller, struct region *r);
/* The same for memory that this process alone has allocated. */
void armcii_observe_memget(const void *memory, size_t bytes);

/* ---- statistics (statistics.c) ----
 *
 * They count calls, bytes and time by public function and by path. A *span* is one call of a public function by the program, from
 * armcii_stats_enter to armcii_stats_leave. Calls inside a span are part of it. */

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

/* A transport carries a transfer; observe.c announces it. */
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
