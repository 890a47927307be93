/* shape_checks.h - everything a shape answers, held against the list of its bytes.  Each check prints what differs and
 * fails. */
#ifndef FUZZ_SHAPE_CHECKS_H
#define FUZZ_SHAPE_CHECKS_H

#include "shape_model.h"

/* The segments in order are the bytes of the sample. */
void check_walk(const struct sample *m);
/* No level that could go is left. */
void check_simplest(const char *text, const struct shape *s);
/* The range is that of all bytes. */
void check_hull(const struct sample *m);
/* Nothing is called disjoint that meets a byte twice; vectors and blocks of dense arrays exactly. */
void check_disjoint(const struct sample *m);
/* What is said to nest is a block of a dense array, and nothing else. */
void check_nests(const struct sample *m);
/* Every segment begins and ends at multiples of 1, 2, 4, 8, 16. */
void check_aligned(const struct sample *m);
/* The parts of at most `limit` bytes are the whole, cut only where it may be. */
void check_parts(const struct sample *m, size_t limit);
/* Packing reads, and unpacking writes, exactly the bytes of the sample; changes the arenas. */
void check_packing(const struct sample *m);
/* A copy by load and store, both ways, to a remote side that is mapped elsewhere, moves exactly the bytes of the
 * sample; changes the arenas. */
void check_copy(const struct sample *m);
/* With a packed local side: walked, in parts, copied; changes the shape, so last. */
void check_packed_side(struct sample *m, size_t limit);

#endif
