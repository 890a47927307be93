/* fragment.h - the fragments of a transfer. */
#ifndef ARMCII_FRAGMENT_H
#define ARMCII_FRAGMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "shape/shape.h"

/* The strided shape, in *patch, that equals the vector s; s itself if there is none or its segments
 * are long enough for zero-copy. */
const struct shape *armcii_am_vector_to_strided(const struct shape *s, struct shape *patch);

/* Fragments of a shape. Begin with the side that is written: the remote side of a put, whose packed
 * fragments are eager requests, or the local side of a get, whose packed fragments are replies.
 * Long contiguous data are zero-copy in fragments of up to AM_ZCOPY_MAX bytes; so are strided puts
 * where derived datatypes are right and fast. Other long strided puts, and after _begin_accumulate
 * all long contiguous and strided data, are in fragments of up to AM_PACKED_MAX bytes, which the
 * server receives in buffers. */
struct am_cursor {
    size_t fragment_max; /* bytes of a fragment that may be zero-copy */
    size_t packed_max;   /* bytes of a packed fragment, except for one long segment of a vector */
    bool data_in_request;
    bool in_order;   /* a byte is written twice: each fragment must arrive before the next */
    size_t position; /* strided, contiguous */
    size_t run, segment, offset; /* vector */
};
enum { AM_RUNS = 64 };
void armcii_am_fragment_begin(struct am_cursor *c, const struct shape *s, enum shape_side written);
void armcii_am_fragment_begin_accumulate(struct am_cursor *c, const struct shape *s);
/* The next fragment; `runs` are its runs if it is a vector. False when nothing is left. */
bool armcii_am_fragment_next(const struct shape *s, struct am_cursor *c,
                             struct vector_run runs[AM_RUNS], struct shape *fragment);

/* True if MPI can transfer this side by a derived datatype: it is strided, never backwards, and
 * this MPI library has no defect there. */
bool armcii_am_can_zcopy(const struct shape *s, enum shape_side side);

/* True if MPI sends a long fragment from the caller's memory: it is contiguous, or datatypes are
 * fast for the local side and, if the server receives it in place, for the remote side. */
bool armcii_am_sends_in_place(const struct shape *s, bool in_place_at_server);

#endif
