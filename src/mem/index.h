/* index.h - which region holds an address of a given process: disjoint intervals, ordered by address, for each process.
 * Lookup is a binary search behind a cache of the last hit.  Pure. */
#ifndef ARMCII_INDEX_H
#define ARMCII_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct region;
struct index;

/* [lo, hi) in one process belongs to region. */
struct interval {
    uintptr_t lo, hi;
    struct region *region;
    char *mapped; /* where lo is in this process; NULL: out of reach of loads and stores */
};

/* An empty index over `processes` processes; NULL when memory runs out. */
struct index *armcii_index_create(int processes);
void armcii_index_free(struct index *index);

/* Add an interval that is not empty and overlaps none that is there; false when memory runs out. */
bool armcii_index_insert(struct index *index, int process, struct interval interval);
/* Remove all intervals that overlap [lo, hi). */
void armcii_index_remove(struct index *index, int process, uintptr_t lo, uintptr_t hi);
/* The interval that holds `address`; NULL if none does.  Valid until the next insert or remove. */
const struct interval *armcii_index_find(struct index *index, int process, uintptr_t address);

#endif
