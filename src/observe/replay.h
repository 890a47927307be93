/* replay.h - replay of a suspect transfer in memory that no other process accesses.
 *
 * A difference proves nothing if other processes may change the bytes.  The replay has the same kind, shape, alignment and target, so the
 * same path, and transfers between private local memory and this process's scratch buffer in the target: every byte must match, including
 * the bytes between segments. */
#ifndef ARMCII_REPLAY_H
#define ARMCII_REPLAY_H

#include <stdbool.h>

#include "mem/directory.h"
#include "core/op.h"
#include "shape/shape.h"

/* Collective over the world: allocate the scratch buffers.  armcii_regions_free_all frees them. */
void armcii_replay_start(void);

/* Replay op.  Returns if the replay is correct or memory runs out; otherwise reports op and ends the job. */
void armcii_replay(const struct op *op, enum path path);

/* Get this process's scratch buffer in the target (at least 64 bytes); false while another thread uses it. */
bool armcii_scratch_acquire(int target, char **address, struct raddr *raddr);
void armcii_scratch_release(void);

/* ---- replay shape ---- */

/* A shape with both sides moved into other memory, with the same layout and alignment. */
struct replay_shape {
    struct shape shape;
    char *local; /* range of the local side, in private memory */
    size_t local_bytes;
    char *memory;     /* the allocation that contains local */
    void **addresses; /* vector: local addresses, then remote addresses */
    struct vector_run *runs;
};

/* Make a shape like s with its remote side in [room, room + bytes) and its local side in new memory; truncated if s does not fit.
 * false: out of memory. */
bool armcii_replay_shape_make(struct replay_shape *w, const struct shape *s, char *room, size_t bytes);
void armcii_replay_shape_free(struct replay_shape *w);

#endif
