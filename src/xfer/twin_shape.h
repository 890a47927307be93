/* twin_shape.h - the same layout elsewhere: a shape moved into memory of the guard's own, both sides, with the same alignment. */
#ifndef ARMCII_TWIN_SHAPE_H
#define ARMCII_TWIN_SHAPE_H

#include <stdbool.h>

#include "shape/shape.h"

struct twin_shape {
    struct shape shape;
    char *local; /* the hull of its local side: private memory */
    size_t local_bytes;
    char *memory;            /* what `local` lies in */
    void **addresses;        /* of a vector: local ones, then remote ones */
    struct vector_run *runs;
};

/* A shape like s whose remote side lies in [room, room + bytes), whose local side in fresh memory.  Where s does not fit, as much from its
 * beginning as does.  false: no memory. */
bool armcii_twin_shape_make(struct twin_shape *w, const struct shape *s, char *room, size_t bytes);
void armcii_twin_shape_free(struct twin_shape *w);

#endif
