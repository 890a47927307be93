/* overlap.h - a set of disjoint byte intervals that detects an overlapping one: n intervals cost
 * O(n log n) time and one allocation. Source: conflict tree of [C] (see armci.h), section on vector
 * transfers. */
#ifndef ARMCII_OVERLAP_H
#define ARMCII_OVERLAP_H

#include <stddef.h>
#include <stdint.h>

struct overlap_tree;

enum overlap_result { OVERLAP_NONE, OVERLAP_FOUND, OVERLAP_FULL };

/* Create a tree for at most `capacity` intervals; NULL: out of memory. */
struct overlap_tree *armcii_overlap_create(size_t capacity);
void armcii_overlap_free(struct overlap_tree *tree);

/* Insert [lo, hi). OVERLAP_FOUND: it overlaps an interval of the set; adjacent intervals do not
 * overlap. OVERLAP_FULL: the capacity is exhausted. The set is unchanged in both cases. Empty
 * intervals (lo >= hi) are not stored and overlap nothing. */
enum overlap_result armcii_overlap_insert(struct overlap_tree *tree, uintptr_t lo, uintptr_t hi);

/* Return the height, below 1.45 log2(n + 2) for n intervals; for tests. */
int armcii_overlap_height(const struct overlap_tree *tree);

#endif
