/* patch.h - random strided shapes, and their model: the list of segments by plain counting. */
#ifndef TOOLS_LIB_PATCH_H
#define TOOLS_LIB_PATCH_H

#include "rng.h"

enum { PATCH_LEVELS = 16, LOCAL = 0, REMOTE = 1 };

/* What the strides of one side may look like; all before PATCH_REPEATED keep segments disjoint. */
enum patch_kind {
    PATCH_NESTED,      /* a block of a dense array: each stride a multiple of the one below */
    PATCH_LOOSE,       /* as wide as needed plus any gap: strides that do not nest */
    PATCH_INTERLEAVED, /* as LOOSE, the levels in random order: an outer stride may be the smaller
                          one */
    PATCH_NEGATIVE,    /* as INTERLEAVED, some strides negative */
    PATCH_REPEATED, /* any strides from 0: segments overlap; for a side that is only read, and for
                       accumulate */
    PATCH_ANY,      /* as REPEATED, some strides negative */
    PATCH_KINDS
};

struct patch {
    int levels;
    int count[PATCH_LEVELS + 1];
    int stride[2][PATCH_LEVELS]; /* [LOCAL, REMOTE] */
    size_t start[2];             /* of the first segment, inside the room */
};

/* What to draw: at most max_levels levels and max_bytes bytes in all; each side of its kind inside
 * its room; everything a multiple of unit. */
struct patch_wish {
    enum patch_kind kind[2];
    size_t room[2];
    size_t max_bytes;
    int min_levels, max_levels;
    int unit;
};
struct patch patch_draw(struct rng *r, const struct patch_wish *wish);

/* Segments (0 when a count is 0), and where the i-th is in the room of a side. Level 1 counts
 * fastest. */
size_t patch_segments(const struct patch *p);
size_t patch_offset(const struct patch *p, int side, size_t i);

/* "levels 2 count 8,3,4 local 8,24 remote ..." in a buffer of the thread. */
const char *patch_text(const struct patch *p);

/* The model of put (from LOCAL to REMOTE) and get (back): copy all segments, in order, between two
 * rooms. */
void patch_copy(const struct patch *p, int from, const void *source_room, void *target_room);

#endif
