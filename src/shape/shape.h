/* shape.h - what a transfer looks like in memory, on both sides at once: contiguous, strided or vector, normalised.
 *
 * Pure: no MPI, no global state.  "local" is the caller's memory, "remote" the target's (addresses valid there);
 * whether bytes go from local to remote or back is not the shape's business. */
#ifndef ARMCII_SHAPE_H
#define ARMCII_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

enum { SHAPE_MAX_LEVELS = 16 };

enum shape_form { SHAPE_CONTIGUOUS, SHAPE_STRIDED, SHAPE_VECTOR };
enum shape_side { SHAPE_LOCAL, SHAPE_REMOTE };

/* `n` segments of `bytes` bytes each: local[i] and remote[i] belong together. */
struct vector_run {
    void *const *local;
    void *const *remote;
    size_t bytes;
    size_t n;
};

struct shape {
    enum shape_form form;
    size_t bytes; /* in all; 0: nothing to transfer */
    size_t nsegs; /* contiguous pieces */

    /* contiguous and strided: addresses of the first segment.  count[0] is bytes, count[1..levels] repetitions;
     * contiguous is levels == 0.  Strides are bytes, any sign. */
    char *local, *remote;
    int levels;
    size_t count[SHAPE_MAX_LEVELS + 1];
    ptrdiff_t stride[2][SHAPE_MAX_LEVELS]; /* [enum shape_side] */

    /* vector: the runs (not owned).  packed, when not NULL, replaces the local addresses: segments follow one another
     * there. */
    const struct vector_run *runs;
    size_t nruns;
    char *packed;
};

/* One contiguous piece. */
struct segment {
    char *local, *remote;
    size_t bytes;
};

enum shape_status {
    SHAPE_OK = 0,
    SHAPE_BAD_LEVELS, /* fewer than 0 or more than SHAPE_MAX_LEVELS */
    SHAPE_BAD_COUNT,  /* a negative count */
    SHAPE_OVERFLOW    /* more than PTRDIFF_MAX bytes in all, or an address leaves the address space */
};

/* One piece of `bytes` bytes. */
static inline void armcii_shape_contiguous(struct shape *s, void *local, void *remote, size_t bytes)
{
    s->form = SHAPE_CONTIGUOUS;
    s->bytes = s->count[0] = bytes;
    s->nsegs = bytes > 0;
    s->local = local;
    s->remote = remote;
    s->levels = 0;
    s->packed = NULL;
}

/* From the arguments of a strided call (ARMCI's count and stride arrays), in its simplest form: levels with count 1
 * dropped, levels that continue one another on both sides merged; without levels left it is contiguous.  The order of
 * the bytes is kept.  The ranges of both sides are checked: armcii_shape_range cannot fail afterwards.  With a count
 * of 0 it is empty. */
enum shape_status armcii_shape_strided(struct shape *s, void *local, const int local_stride[], void *remote,
                                       const int remote_stride[], const int count[], int levels);

/* From runs of segments, which must outlive the shape.  Empty runs and 0-byte segments count for nothing; a single
 * segment makes the shape contiguous.  Addresses are not looked at: armcii_shape_range does that. */
enum shape_status armcii_shape_vector(struct shape *s, const struct vector_run *runs, size_t nruns);

/* Are the segments of a vector of equal length and evenly spaced on both sides?  Then *patch is the same transfer, in the same order, as
 * a strided or contiguous shape.  O(segments), less where they are not; false, *patch untouched, for any other shape. */
bool armcii_shape_is_even(const struct shape *s, struct shape *patch);

/* Drop levels with count 1 and merge again, after levels, counts or strides of a strided shape were changed. */
void armcii_shape_simplify(struct shape *s);

/* The range [*lo, *hi) of all bytes on one side.  O(levels), vectors O(segments).  SHAPE_OVERFLOW, outputs untouched,
 * where an address leaves the address space.  For an empty shape *lo == *hi. */
enum shape_status armcii_shape_range(const struct shape *s, enum shape_side side, char **lo, char **hi);

/* Are all segments of that side surely disjoint?  Strided: a sufficient test in O(levels^2); vector: exact, O(n log n),
 * and false also when memory runs out. */
bool armcii_shape_is_disjoint(const struct shape *s, enum shape_side side);

/* Do the strides of that side nest, so that the patch is a block of a dense array of bytes?  Strides positive, each a
 * multiple of the one below, and all below a level fits into its stride: the array's dimensions are, from the
 * innermost, stride[0], stride[1] / stride[0], ... and the block's count[0], count[1], ...  Contiguous: yes;
 * vector: no. */
bool armcii_shape_nests(const struct shape *s, enum shape_side side);

/* Are all segments' addresses on that side and lengths multiples of `unit`, a power of two?  As fast as the range. */
bool armcii_shape_is_aligned(const struct shape *s, enum shape_side side, size_t unit);

/* Make the local side of s the packed buffer `buffer` of s->bytes bytes, segments in order, one after the other.  What
 * is then continuous on both sides is merged: a strided shape may become contiguous. */
void armcii_shape_set_packed(struct shape *s, char *buffer);

/* The part of a strided or contiguous shape with at most `limit` bytes (at least 16; less counts as 16) from *position
 * on; advances *position; false when nothing is left.  Start with *position = 0, it counts the bytes given out.  The
 * parts in order are the shape; a part is never empty and is in simplest form.  Whole levels are taken where they fit,
 * then whole segments; only a segment larger than `limit` is split, at multiples of 16 bytes from its start. */
bool armcii_shape_part(const struct shape *s, size_t limit, size_t *position, struct shape *part);

/* Walk the segments in order. */
struct shape_iter {
    const struct shape *shape;
    size_t index[SHAPE_MAX_LEVELS]; /* strided: position at each level */
    char *local, *remote;           /* of the next segment */
    size_t left;                    /* segments to come */
    size_t run, i;                  /* vector: position */
};
void armcii_shape_begin(struct shape_iter *it, const struct shape *s);
/* The next segment, never an empty one; false, *seg untouched, when there is none. */
bool armcii_shape_next(struct shape_iter *it, struct segment *seg);

/* Copy the local (or remote) side of the shape, segment by segment, to or from a packed buffer of s->bytes bytes, which
 * does not overlap that side.  Where segments overlap one another, the last one unpacked stays. */
void armcii_shape_pack(const struct shape *s, enum shape_side side, char *buffer);
void armcii_shape_unpack(const struct shape *s, enum shape_side side, const char *buffer);

#endif
