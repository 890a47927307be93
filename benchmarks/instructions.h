/* instructions.h - the number of instructions that a short operation takes on the caller. */
#ifndef ARMCI_BENCH_INSTRUCTIONS_H
#define ARMCI_BENCH_INSTRUCTIONS_H

#include "site.h"

enum { INSTRUCTIONS_ROWS = 4 };

struct instructions {
    const char *method; /* how they were counted, or why they were not */
    int count;
    struct {
        const char *name;
        double per_call; /* with loop and argument passing; 0: not available */
    } of[INSTRUCTIONS_ROWS];
};

/* Count for put, get, accumulate and rmw of 8 bytes on rank 0.  Collective; the counts are rank
 * 0's. */
void instructions_count(const struct site *site, struct instructions *counts);

enum { PROBE_CALLS = 10000 };
/* PROBE_CALLS puts of 8 bytes, in a function that a profiler can select by name. */
void bench_probe(const struct site *site);

#endif
