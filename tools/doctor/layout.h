/* layout.h - random derived datatypes, and where they say that the bytes lie. */
#ifndef DOCTOR_LAYOUT_H
#define DOCTOR_LAYOUT_H

#include "probe.h"

enum layout_kind {
    LAYOUT_CONTIGUOUS,
    LAYOUT_BASIC, /* a count of the basic type, no type of its own */
    LAYOUT_VECTOR,
    LAYOUT_HVECTOR,
    LAYOUT_SUBARRAY,
    LAYOUT_INDEXED,
    LAYOUT_HINDEXED,
    LAYOUT_STRUCT,
    LAYOUT_KINDS
};

enum { LAYOUT_SEGMENTS = 400 };

/* `count` elements of `basic` in segments, which lie in ascending order. */
struct layout {
    enum layout_kind kind;
    MPI_Datatype type;                                              /* committed */
    int times;                                                      /* that many of it are the layout */
    int segments, offset[LAYOUT_SEGMENTS], length[LAYOUT_SEGMENTS]; /* bytes */
    int extent;                                                     /* from 0 to the end of the last segment */
};

/* A layout of a random kind among `kinds` (a set of bits) for count elements, within `room` bytes; contiguous where
 * none fits. */
void layout_draw(struct layout *l, struct rng *r, unsigned kinds, MPI_Datatype basic, int size, int count, int room);
/* Rows of `block` elements with a random gap between them. */
void layout_draw_rows(struct layout *l, struct rng *r, MPI_Datatype basic, int size, int rows, int block);
void layout_free(struct layout *l);
/* Copy what lies in `from` at the segments to `packed`, and back. */
void layout_pack(const struct layout *l, const char *from, char *packed);
void layout_unpack(const struct layout *l, const char *packed, char *to);
const char *layout_kind_name(enum layout_kind kind);

#endif
