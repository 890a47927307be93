/* verify.h - verification in production (ARMCI_VERIFY): reads back every transfer and ends the job at the first that is proved wrong.
 * Every operation goes through the engine then, and by observed routes to these functions.  doc/verify.md describes what counts as a proof
 * and what stays undetected. */
#ifndef ARMCII_VERIFY_H
#define ARMCII_VERIFY_H

#include <stdbool.h>
#include <stddef.h>

#include "shape/accumulate.h"
#include "shape/shape.h"
#include "transport/transport.h"

extern bool armcii_verify_is_on; /* the same on all processes */

void armcii_verify_start(void);
/* Collective over the world.  With ARMCI_VERBOSE, rank 0 prints the counts. */
void armcii_verify_end(void);

/* Collective over the team of a new region that is not observed yet: check that puts and gets reach the right bytes of the right process.
 * Preserves the contents. */
void armcii_verify_region(const char *caller, struct region *region);

/* armcii_op_issue and armcii_rmw_issue between two readbacks; complete remotely on return. */
int armcii_verify_op(const struct op *op, const struct raddr *raddr, const char *lo, const char *hi, struct request *req);
long armcii_verify_rmw(const struct raddr *raddr, int target, enum rmw_update update, size_t bytes, void *remote, long operand);

/* ---- evidence (evidence.c) ----
 *
 * Readback of remote memory, and reference accumulate, which adds up whole arrays independently of the kernels.  Arrays hold the numbers of
 * the elements (a complex number is two) and may be unaligned. */

/* Read the remote side of s, in the slice `raddr` of process `target`, into `into` (s->bytes bytes), segments in order: by loads if the
 * slice is mapped, otherwise by contiguous gets, whatever path the verified transfer took.  Not atomic: other processes may write
 * meanwhile.  Requires that no operation of this process is pending there. */
void armcii_readback(const struct raddr *raddr, int target, const struct shape *s, char *into);

/* sums[i] += addends[i]. */
void armcii_reference_add(enum element e, char *sums, const char *addends, size_t bytes);
/* The largest magnitude in an array. */
double armcii_reference_largest(enum element e, const char *numbers, size_t bytes);
/* The offset of the first wrong number; `bytes` if there is none.  Real numbers may differ by `slack` units of the type's precision, since
 * another order of additions rounds differently; any number matches one that is expected not to be finite. */
size_t armcii_reference_compare(enum element e, const char *seen, const char *expected, size_t bytes, double slack);

/* ---- report (evidence.c) ---- */

/* Print the operation, its path, the evidence (printf format) and rows of the quirk table that may explain it; abort the job. */
_Noreturn void armcii_report_op(const struct op *op, enum path path, const char *evidence, ...) __attribute__((format(printf, 3, 4), cold));
/* The same for ARMCI_Rmw. */
_Noreturn void armcii_report_rmw(enum path path, int target, const char *evidence, ...) __attribute__((format(printf, 3, 4), cold));

/* ---- replay (replay.c) ----
 *
 * Repeats a suspect transfer in memory that no other process accesses: a difference proves nothing if other processes may change the bytes.
 * The replay has the same kind, shape, alignment and target, so the same path, and transfers between private local memory and this
 * process's scratch buffer in the target: every byte must match, including the bytes between segments. */

/* Collective over the world: allocate the scratch buffers.  armcii_regions_free_all frees them. */
void armcii_replay_start(void);

/* Replay op.  Returns if the replay is correct or memory runs out; otherwise reports op and ends the job. */
void armcii_replay(const struct op *op, enum path path);

/* Get this process's scratch buffer in the target (at least 64 bytes); false while another thread uses it. */
bool armcii_scratch_acquire(int target, char **address, struct raddr *raddr);
void armcii_scratch_release(void);

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
