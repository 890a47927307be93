/* index.h - map from a process and an address to a region: disjoint intervals, sorted by address, for each process.
 * Lookup is a binary search behind a cache of the last hit. */
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
    char *mapped; /* address of lo in this process; NULL: not mapped */
};

/* An empty index over `processes` processes; NULL if memory runs out. */
struct index *armcii_index_create(int processes);
void armcii_index_free(struct index *index);

/* Add an interval that is not empty and overlaps no other; false if memory runs out. */
bool armcii_index_insert(struct index *index, int process, struct interval interval);
/* Remove all intervals that overlap [lo, hi). */
void armcii_index_remove(struct index *index, int process, uintptr_t lo, uintptr_t hi);
/* The interval that holds `address`; NULL if none does.  Valid until the next insert or remove. */
const struct interval *armcii_index_find(struct index *index, int process, uintptr_t address);

#endif
