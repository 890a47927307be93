/* replay_shape.h - the same layout server_map: a shape moved into memory of the guard's own, both sides, with the same alignment. */
#ifndef ARMCII_REPLAY_SHAPE_H
#define ARMCII_REPLAY_SHAPE_H

#include <stdbool.h>

#include "shape/shape.h"

struct replay_shape {
    struct shape shape;
    char *local; /* the range of its local side: private memory */
    size_t local_bytes;
    char *memory;            /* what `local` lies in */
    void **addresses;        /* of a vector: local ones, then remote ones */
    struct vector_run *runs;
};

/* A shape like s whose remote side lies in [room, room + bytes), whose local side in fresh memory.  Where s does not fit, as much from its
 * beginning as does.  false: no memory. */
bool armcii_replay_shape_make(struct replay_shape *w, const struct shape *s, char *room, size_t bytes);
void armcii_replay_shape_free(struct replay_shape *w);

#endif
