/* shape_model.h - what the shape tests compare with: random transfers in real memory, and the plain list of their
 * bytes. */
#ifndef SHAPE_MODEL_H
#define SHAPE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../lib/rng.h"
#include "shape/shape.h"

/* One byte of a transfer: its address on both sides. */
struct pair {
    char *at[2]; /* [enum shape_side] */
};
struct bytes {
    size_t n, room;
    struct pair *pair;
};
void bytes_add(struct bytes *list, char *local, char *remote, size_t n);
/* Append what the iterator says; checks that no segment is empty and that their number is nsegs. */
void bytes_add_shape(struct bytes *list, const struct shape *s);
void bytes_free(struct bytes *list);

/* A random transfer, how it was asked for, and its bytes in order. */
struct sample {
    unsigned seed;
    int levels, count[SHAPE_MAX_LEVELS + 1], stride[2][SHAPE_MAX_LEVELS]; /* strided */
    size_t nruns;                                                         /* vector; 0: strided */
    struct vector_run run[4];
    char *arena[2];
    size_t size[2]; /* of the arenas */
    char *base[2];
    struct bytes expected;
    struct shape shape;
    char text[800]; /* all of that, for messages */
};
enum sample_kind {
    SAMPLE_ANY,   /* any stride: zero, negative, overlapping, not nesting */
    SAMPLE_PATCH, /* patches of dense arrays, walked in any order of dimensions and direction: no byte twice */
    SAMPLE_VECTOR
};
/* Build the sample of that seed, its shape included.  The arenas are filled with bytes that depend on the seed. */
void sample_create(struct sample *m, enum sample_kind kind, unsigned seed, int levels);
void sample_free(struct sample *m);

/* By counting every byte: is none met twice on that side? */
bool sample_is_disjoint(const struct sample *m, enum shape_side side);

/* Fail where a level of the shape could go: one of count 1, or one that continues the one below on both sides. */
void check_simplest(const char *text, const struct shape *s);

/* Fail, saying where, unless both lists are the same. */
void check_same_bytes(const struct sample *m, const char *what, const struct bytes *seen);

#endif
