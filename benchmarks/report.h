/* report.h - the printed table and the JSON file. Used by rank 0 only. */
#ifndef ARMCI_BENCH_REPORT_H
#define ARMCI_BENCH_REPORT_H

#include "instructions.h"
#include "row.h"

#include <stdbool.h>

struct report_head {
    const char *label; /* a name for this run, or NULL */
    char armci[128], mpi[256], processor[256];
    int ranks, ranks_here;
    long cores;
    double seconds;   /* per row */
    bool target_here; /* rank 0 and its target are on one node */
    bool same_memory; /* memcpy accesses the same memory as the transfers */
};

/* Print the libraries and the machine; warn if ranks outnumber cores. `head` must live until
 * report_end. The file `json` (NULL: none) is written anew before each row: a library that aborts
 * or hangs leaves the rows before, and the name of the row. */
void report_begin(const struct report_head *head, const char *json);
/* The row of this name begins. */
void report_running(const char *name);
/* Print a row and store it for the file. */
void report_row(const char *word, const struct row *row, struct result *result);
/* Print instruction counts and store them for the file. */
void report_instructions(const struct instructions *counts);
/* Print the number of wrong rows, and write the file. False if that fails. */
bool report_end(void);

#endif
