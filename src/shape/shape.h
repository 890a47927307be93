/* shape.h - the memory layout of a transfer on both sides: contiguous, strided or vector, in
 * simplest form.
 *
 * Pure: no MPI, no global state.  "local" is the caller's memory, "remote" the target's (addresses
 * valid there). A shape has no direction. */
#ifndef ARMCII_SHAPE_H
#define ARMCII_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHAPE_MAX_LEVELS = 16 };
/* Bytes. Segments are split at multiples of it only, so that no element is split. */
enum { SHAPE_SPLIT_UNIT = 16 };

enum shape_form { SHAPE_CONTIGUOUS, SHAPE_STRIDED, SHAPE_VECTOR };
enum shape_side { SHAPE_LOCAL, SHAPE_REMOTE };

/* `n` segments of `bytes` bytes each: local[i] corresponds to remote[i]. */
struct vector_run {
    void *const *local;
    void *const *remote;
    size_t bytes;
    size_t n;
};

struct shape {
    enum shape_form form;
    size_t bytes; /* total; 0: nothing to transfer */
    size_t nsegs; /* of contiguous bytes */

    /* Contiguous (levels == 0) and strided: the first segment of count[0] bytes, repeated
     * count[1..levels] times. Strides are in bytes, of either sign. */
    char *local, *remote;
    int levels;
    size_t count[SHAPE_MAX_LEVELS + 1];
    ptrdiff_t stride[2][SHAPE_MAX_LEVELS]; /* [enum shape_side] */

    /* Vector: runs that the caller owns. packed, if not NULL, replaces the local addresses: a
     * buffer of consecutive segments. */
    const struct vector_run *runs;
    size_t nruns;
    char *packed;
};

/* Contiguous bytes. */
struct segment {
    char *local, *remote;
    size_t bytes;
};

enum shape_status {
    SHAPE_OK = 0,
    SHAPE_BAD_LEVELS, /* fewer than 0 or more than SHAPE_MAX_LEVELS */
    SHAPE_BAD_COUNT,  /* a negative count */
    SHAPE_OVERFLOW    /* more than PTRDIFF_MAX bytes, or an address outside the address space */
};

/* One segment of `bytes` bytes. */
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

/* Copy what a shape of that form has: contiguous ones are a few words. */
static inline void armcii_shape_copy(struct shape *to, const struct shape *from)
{
    if (from->form == SHAPE_CONTIGUOUS) {
        armcii_shape_contiguous(to, from->local, from->remote, from->bytes);
        to->packed = from->packed;
    } else {
        *to = *from;
    }
}

/* Builds a shape from ARMCI's count and stride arrays, in simplest form: without levels of count 1,
 * and with levels merged that continue each other on both sides. The byte order stays. A count of
 * 0 makes it empty. Addresses are not checked: armcii_shape_range does that. */
enum shape_status armcii_shape_strided(struct shape *s, void *local, const int local_stride[],
                                       void *remote, const int remote_stride[], const int count[],
                                       int levels);

/* Builds a shape from runs of segments, which must outlive it. Empty runs and 0-byte segments are
 * ignored; a single segment makes a contiguous shape. Addresses are not checked. */
enum shape_status armcii_shape_vector(struct shape *s, const struct vector_run *runs, size_t nruns);

/* Converts a vector whose segments have equal length and are evenly spaced on both sides to a
 * strided or contiguous shape of the same order. Returns false for any other shape, with *patch
 * unchanged. At most O(segments). */
bool armcii_shape_to_strided(const struct shape *s, struct shape *patch);

/* The range [*lo, *hi) of all bytes on one side; *lo == *hi for an empty shape. O(levels), vectors
 * O(segments). Returns SHAPE_OVERFLOW, with the outputs unchanged, if an address is outside the
 * address space. */
enum shape_status armcii_shape_range(const struct shape *s, enum shape_side side, char **lo,
                                     char **hi);

/* True if all segments of that side are known to be disjoint. Strided: a sufficient test in
 * O(levels^2). Vector: exact in O(n log n), but false if memory runs out. */
bool armcii_shape_is_disjoint(const struct shape *s, enum shape_side side);

/* True if that side is a block of a dense array of bytes. Strides are positive, each is a multiple
 * of the one below, and a level fits into the stride above. From the innermost, the array has
 * dimensions stride[0], stride[1] / stride[0], ... and the block count[0], count[1],
 * ... Contiguous: yes; vector: no. */
bool armcii_shape_nests(const struct shape *s, enum shape_side side);

/* True if the addresses on that side and the lengths of all segments are multiples of `unit`, a
 * power of two. */
bool armcii_shape_is_aligned(const struct shape *s, enum shape_side side, size_t unit);

/* Replaces the local side by a packed buffer of s->bytes bytes and restores the simplest form: a
 * strided shape may become contiguous. */
void armcii_shape_set_packed(struct shape *s, char *buffer);

/* The next chunk of a strided or contiguous shape, of at most `limit` bytes (at least 16); false
 * after the last one. *position is 0 at first and counts the bytes of all chunks so far. A chunk
 * is never empty, is in simplest form and consists of whole levels or whole segments; only a
 * segment larger than `limit` is split, at multiples of 16 bytes from its start. */
bool armcii_shape_chunk(const struct shape *s, size_t limit, size_t *position, struct shape *chunk);

/* Iterates over the segments in order. */
struct shape_iter {
    const struct shape *shape;
    size_t index[SHAPE_MAX_LEVELS]; /* strided: index at each level */
    char *local, *remote;           /* the next segment */
    size_t left;                    /* remaining segments */
    size_t run, i;                  /* vector: run and segment in it */
};
void armcii_shape_begin(struct shape_iter *it, const struct shape *s);
/* The next segment, which is never empty; false, with *seg unchanged, after the last. */
bool armcii_shape_next(struct shape_iter *it, struct segment *seg);

/* Copy the local side of the shape to or from a packed buffer of s->bytes bytes, which does not
 * overlap it. Segments are copied in order. */
void armcii_shape_pack(const struct shape *s, char *buffer);
void armcii_shape_unpack(const struct shape *s, const char *buffer);

#endif
