/* replay.h - the proof of ARMCI_VERIFY: what looked wrong is done once more in memory that no other process touches.
 *
 * Where others may change the bytes of a transfer, a difference proves nothing.  Its twin is the same transfer (kind, shape, alignment,
 * target, so the same path) between private local memory and a lane of the target that belongs to this process alone: there every byte must
 * be as the model says, between the pieces too. */
#ifndef ARMCII_REPLAY_H
#define ARMCII_REPLAY_H

#include <stdbool.h>

#include "mem/directory.h"
#include "core/op.h"
#include "shape/shape.h"

/* Collective over the world: make the lanes.  They go with all regions. */
void armcii_replay_start(void);

/* Carry out the twin of op, whose remote side lies in `raddr`.  Returns if it is right, or there is no memory for it; else the job ends. */
void armcii_replay(const struct op *op, enum path path);

/* 64 bytes of this process's lane in the target, and their raddr; false while another thread uses the lane. */
bool armcii_replay_borrow(int target, char **address, struct raddr *raddr);
void armcii_replay_give_back(void);

/* ---- replay shape ---- */

/* The same layout server_map: a shape moved into memory of the guard's own, both sides, with the same alignment. */

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
