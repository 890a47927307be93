/* lanes.h - a region in which every rank owns one lane of every slice, and a mirror of what its
 * lanes should hold.
 *
 * A rank transfers only to and from its own lanes and does the same to the mirror; lanes_verify
 * then compares the memory itself, on the target, with the mirrors of all ranks: stray bytes in a
 * neighbour's lane show up there. */
#ifndef TEST_LANES_H
#define TEST_LANES_H

#include "harness.h"

struct lanes {
    void **base;           /* of the slices */
    size_t bytes;          /* of one lane */
    size_t lead;           /* bytes before the first lane; those behind the last are as many */
    unsigned char *mirror; /* [ranks][bytes] */
};

/* Lanes of `bytes` bytes, all 0, with `lead` more bytes in front and behind. Collective. */
struct lanes lanes_create(size_t bytes, size_t lead);
void lanes_free(struct lanes *l);

/* The caller's lane on the target: its address there, and its mirror here. */
char *lanes_remote(const struct lanes *l, int target);
unsigned char *lanes_mirror(const struct lanes *l, int target);

/* Let the memory hold what the mirrors say (the caller has filled its own). Collective. */
void lanes_load(struct lanes *l);
/* Complete everything, then check the caller's slice against the mirrors of all ranks. Collective.
 */
void lanes_verify(struct lanes *l, const char *what);
/* The same, then free the lanes. */
void lanes_end(struct lanes *l, const char *what);

#endif
