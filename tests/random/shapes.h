/* shapes.h - transfers of random shape. */
#ifndef RANDOM_SHAPES_H
#define RANDOM_SHAPES_H

#include "program.h"

/* What a transfer is to be. */
struct wish {
    int origin;
    bool blocking;
    bool fresh;        /* what is put must not come from an earlier transfer */
    struct area *area; /* where on the remote side; a vector transfer also takes others like it */
    int index;         /* of the area in the phase */
    enum verb verb;
    enum form form;
    struct content content;
};

/* Make the transfer.  false: nothing came of it. */
bool shape_transfer(struct program *p, struct phase *ph, struct rng *rng, const struct wish *wish, struct transfer *t);
/* Place n bytes in private memory of the origin. */
struct spot shape_landing(struct rng *rng, long n);
/* Do segments meet on the remote (local) side? */
bool shape_remote_overlaps(struct program *p, const struct transfer *t);
bool shape_local_overlaps(struct program *p, int origin, const struct transfer *t);

#endif
