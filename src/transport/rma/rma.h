/* rma.h - the transport rma: MPI-3 windows and one-sided calls. A flush completes operations;
 * pending.h tracks the incomplete ones. */
#ifndef ARMCII_RMA_H
#define ARMCII_RMA_H

#include "transport/transport.h"

extern const struct transport armcii_rma;

/* Collective over the world. with_thread: a progress thread in each process; MPI allows threads.
 * passive_target: operations on this process's memory need no call of this process. */
void armcii_rma_start(bool with_thread, bool passive_target);
/* Collective; no operations are pending. */
void armcii_rma_end(void);

/* The memory of windows of the team. */
enum window_memory armcii_rma_window_memory(const struct team *team);

/* ---- methods (method.c) ----
 *
 * The method turns an operation into RMA calls. It depends on the configuration, the quirks of the
 * MPI library and whether the written segments overlap. */

/* A put, get or accumulate (not scaled) to one slice. */
struct rma_op {
    struct op_verb verb;
    int target;
    const struct shape *shape;
    struct window *window;
    int rank;           /* of the target in the window */
    const char *origin; /* the address there with displacement 0 */
    bool by_segment;    /* no derived datatypes: the segments are long, and the network carries
                           contiguous data by itself */
    /* set by armcii_rma_choose */
    enum path path;         /* PATH_CONTIGUOUS to PATH_CONSERVATIVE */
    enum rma_typing typing; /* PATH_DATATYPE */
    size_t batch;           /* calls between two flushes */
    size_t calls;           /* calls in flight at once */
};

void armcii_rma_choose(struct rma_op *op);
/* Makes the calls. On return the last op->batch of them may be incomplete; with PATH_CONSERVATIVE
 * all are complete remotely. */
void armcii_rma_issue(const struct rma_op *op);

/* ---- mutexes (mcs.c) ----
 *
 * An MCS lock (transport/shm/shm.h) whose tails are in the owners' windows and whose links are
 * mutex messages between waiters. It needs no memory per waiter and no polling over the network.
 * The functions are those of struct transport. A wait releases the global lock at each backoff
 * step. */

void *armcii_rma_mcs_create(struct team *team, const int count[], unsigned long name);
void armcii_rma_mcs_free(void *set);
void armcii_rma_mcs_lock(void *set, int owner, int mutex);
bool armcii_rma_mcs_trylock(void *set, int owner, int mutex);
void armcii_rma_mcs_unlock(void *set, int owner, int mutex);

#endif
