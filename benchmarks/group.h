/* group.h - the groups of rows, one for each word of the command line (the words "regions" and "remote" have two). */
#ifndef ARMCI_BENCH_GROUP_H
#define ARMCI_BENCH_GROUP_H

#include "row.h"

struct group {
    const char *word;
    int count;
    const struct row *rows;
    /* What the rows need beyond the site; they may be made, and the site changed, in enter.  Collective; NULL: nothing.
     * enter: false where memory is short; then the group is left out and leave not called. */
    bool (*enter)(struct site *site);
    void (*leave)(struct site *site);
    /* How a row is measured; NULL: row_measure. */
    void (*measure)(const struct row *row, const struct site *site, double seconds, struct result *result);
};

extern const struct group group_latency, group_bandwidth, group_strided, group_vector, group_nonblocking, group_single_region,
    group_many_regions, group_contention, group_remote, group_computing, group_overlap, group_stall;

#endif
