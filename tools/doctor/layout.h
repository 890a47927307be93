/* layout.h - random derived datatypes, and the offsets of their segments. */
#ifndef DOCTOR_LAYOUT_H
#define DOCTOR_LAYOUT_H

#include "probe.h"

enum layout_kind {
    LAYOUT_CONTIGUOUS,
    LAYOUT_BASIC, /* a count of the basic type, no derived type */
    LAYOUT_VECTOR,
    LAYOUT_HVECTOR,
    LAYOUT_SUBARRAY,
    LAYOUT_INDEXED,
    LAYOUT_HINDEXED,
    LAYOUT_STRUCT,
    LAYOUT_KINDS
};

enum { LAYOUT_SEGMENTS = 400 };

/* `count` elements of `basic` in segments, in ascending order. */
struct layout {
    enum layout_kind kind;
    MPI_Datatype type;                                              /* committed */
    int times;                                                      /* repetitions of the type */
    int segments, offset[LAYOUT_SEGMENTS], length[LAYOUT_SEGMENTS]; /* bytes */
    int extent; /* from 0 to the end of the last segment */
};

/* A layout of a random kind among `kinds` (a bit set) for count elements, within `room` bytes;
 * contiguous if none fits. */
void layout_draw(struct layout *l, struct rng *r, unsigned kinds, MPI_Datatype basic, int size,
                 int count, int room);
/* Rows of `block` elements with a random gap between them. */
void layout_draw_rows(struct layout *l, struct rng *r, MPI_Datatype basic, int size, int rows,
                      int block);
void layout_free(struct layout *l);
/* Copy the segments of `from` to `packed`, and back. */
void layout_pack(const struct layout *l, const char *from, char *packed);
void layout_unpack(const struct layout *l, const char *packed, char *to);
const char *layout_kind_name(enum layout_kind kind);

#endif
