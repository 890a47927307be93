/* report.h - what is printed, and what is written as JSON.  Used by rank 0 only. */
#ifndef ARMCI_BENCH_REPORT_H
#define ARMCI_BENCH_REPORT_H

#include "instructions.h"
#include "row.h"

#include <stdbool.h>

struct report_head {
    const char *label; /* a name for this run, or NULL */
    char armci[128], mpi[256];
    int ranks, ranks_here;
    long cores;
    double seconds;   /* for a row */
    bool target_here; /* rank 0 and its target are on one machine */
    bool same_memory; /* memcpy went to the memory that the transfers went to */
};

/* Print which libraries run on what, and warn where ranks outnumber cores.  `head` has to live until report_end. */
void report_begin(const struct report_head *head);
/* Print a row and keep it. */
void report_row(const char *word, const struct row *row, struct result *result);
/* Print counts of instructions and keep them. */
void report_instructions(const struct instructions *counts);
/* Print how many rows were wrong, and write all to the file `json` unless it is NULL.  False when that fails. */
bool report_end(const char *json);

#endif
