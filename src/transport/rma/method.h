/* method.h - the method that turns an operation into RMA calls.  It depends on the configuration, the quirks of the MPI library and
 * whether the written segments overlap. */
#ifndef ARMCII_RMA_METHOD_H
#define ARMCII_RMA_METHOD_H

#include "transport/transport.h"

/* A put, get or accumulate (not scaled) to one slice. */
struct rma_op {
    struct rma_verb verb;
    int target;
    const struct shape *shape;
    struct window *window;
    int rank;           /* of the target in the window */
    const char *origin; /* the address there with displacement 0 */
    bool by_segment;    /* no derived datatypes: the segments are long, and the network carries contiguous data by itself */
    /* set by armcii_rma_choose */
    enum path path;         /* PATH_CONTIGUOUS to PATH_CONSERVATIVE */
    enum rma_typing typing; /* PATH_DATATYPE */
    size_t batch;           /* calls between two flushes */
    size_t calls;           /* calls in flight at once */
};

void armcii_rma_choose(struct rma_op *op);
/* Makes the calls.  On return the last op->batch of them may be incomplete; with PATH_CONSERVATIVE all are complete remotely. */
void armcii_rma_issue(const struct rma_op *op);

#endif
