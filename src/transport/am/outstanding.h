/* outstanding.h - operations of this process that are not complete locally: rendezvous puts being sent, gets being received. Called under
 * the global lock. */
#ifndef ARMCII_OUTSTANDING_H
#define ARMCII_OUTSTANDING_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "transport/am/bufpool.h"
#include "shape/shape.h"

struct outstanding {
    uint64_t id;
    int owner;          /* of the remote memory */
    int tag;            /* of the reply, freed when it is complete; 0: none */
    char *buffer;       /* to unpack from; NULL: zero-copy */
    struct shape shape; /* to unpack to */
    void **addresses;
};

/* Buffers for replies that are unpacked. */
extern struct bufpool armcii_outstanding_buffers;
/* Any thread may read it without the lock. */
extern atomic_uint armcii_outstanding_count;

/* NULL while there are too many. */
struct outstanding *armcii_outstanding_new(uint64_t id, int owner);
/* The data arrive in the buffer; unpack them to s. */
void armcii_outstanding_set_unpack(struct outstanding *o, const struct shape *s, char *buffer);
/* The operation may complete from now on. */
void armcii_outstanding_start(struct outstanding *o, MPI_Request request);
/* Complete what MPI has finished; true when there was any. */
bool armcii_outstanding_progress(void);

/* Is any fragment of the operation outstanding? Is any operation up to that id outstanding on memory of the owner, or of anybody (-1)? */
bool armcii_outstanding_has(uint64_t id);
bool armcii_outstanding_to(int owner, uint64_t id);

/* ---- tags of replies ---- */

/* A free tag, from AM_TAG_FIRST on; 0 while all AM_TAGS are in use. It belongs to one reply until that is complete, so that replies may
 * arrive in any order. */
int armcii_tag_alloc(void);
void armcii_tag_free(int tag);

#endif
