/* overlap.h - a set of disjoint byte intervals that says whether a further one overlaps: an AVL tree of addresses.
 * n intervals cost O(n log n) time and one allocation.  Source: conflict tree of [C] (see armci.h), section on vector
 * transfers. */
#ifndef ARMCII_OVERLAP_H
#define ARMCII_OVERLAP_H

#include <stddef.h>
#include <stdint.h>

struct overlap_tree;

enum overlap_result { OVERLAP_NONE, OVERLAP_FOUND, OVERLAP_FULL };

/* A tree with room for `capacity` intervals; NULL when memory runs out. */
struct overlap_tree *armcii_overlap_create(size_t capacity);
void armcii_overlap_free(struct overlap_tree *tree);

/* Insert [lo, hi).  OVERLAP_FOUND: it overlaps one that is there, the set is unchanged; touching is no overlap.  Empty
 * intervals (lo >= hi) are not stored and overlap nothing.  OVERLAP_FULL: capacity used up, the set is unchanged. */
enum overlap_result armcii_overlap_insert(struct overlap_tree *tree, uintptr_t lo, uintptr_t hi);

/* Intervals on the longest way down: below 1.45 log2(n + 2) for n intervals, which the tests check. */
int armcii_overlap_height(const struct overlap_tree *tree);

#endif
