/* shape_model.h - what the shape tests compare with: random transfers in real memory, and the plain
 * list of their bytes. */
#ifndef SHAPE_MODEL_H
#define SHAPE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <check.h>

#include "../../tools/lib/rng.h"
#include "shape/accumulate.h"
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
    size_t nruns; /* vector; 0: strided */
    struct vector_run run[4];
    char *arena[2];
    size_t size[2]; /* of the arenas */
    struct bytes expected;
    struct shape shape;
    char text[800]; /* all of that, for messages */
};
enum sample_kind {
    SAMPLE_ANY,   /* any stride: zero, negative, overlapping, not nesting */
    SAMPLE_PATCH, /* patches of dense arrays, walked in any order of dimensions and direction: no
                     byte twice */
    SAMPLE_VECTOR
};
/* Build the sample of that seed, its shape included. The arenas are filled with bytes that depend
 * on the seed. */
void sample_create(struct sample *m, enum sample_kind kind, unsigned seed, int levels);
void sample_free(struct sample *m);

/* Run `check` on `seeds` samples of each kind, with 0 to most_levels levels. */
void on_samples(unsigned seeds, int most_levels, void (*check)(struct sample *m));

/* By counting every byte: is none met twice on that side? */
bool sample_is_disjoint(const struct sample *m, enum shape_side side);

/* Fail where a level of the shape could go: one of count 1, or one that continues the one below on
 * both sides. */
static inline void check_simplest(const char *text, const struct shape *s)
{
    if (s->form == SHAPE_VECTOR) {
        ck_assert_msg(s->nsegs > 1, "%s: a vector of %zu segments", text, s->nsegs);
        return;
    }
    ck_assert_msg((s->form == SHAPE_CONTIGUOUS) == (s->levels == 0), "%s: form %d with %d levels",
                  text, s->form, s->levels);
    for (int i = 1; i <= s->levels; i++) {
        ck_assert_msg(s->count[i] > 1, "%s: level %d is left with count %zu", text, i, s->count[i]);
        bool dense = true;
        for (int side = 0; side < 2; side++) {
            ptrdiff_t unit = i > 1 ? s->stride[side][i - 2] : 1;
            dense &= s->stride[side][i - 1] == unit * (ptrdiff_t)s->count[i - 1];
        }
        ck_assert_msg(!dense, "%s: level %d continues the one below on both sides", text, i);
    }
}

/* Fail, saying where, unless both lists are the same. */
void check_same_bytes(const struct sample *m, const char *what, const struct bytes *seen);

/* dst += src, whole elements of that type at any alignment. Integer sums wrap. */
void add_elements(enum element e, char *dst, const char *src, size_t bytes);

/* armcii_shape_strided, and whether both sides are in the address space. */
enum shape_status strided_in_range(struct shape *s, void *local, const int local_stride[],
                                   void *remote, const int remote_stride[], const int count[],
                                   int levels);

#endif
