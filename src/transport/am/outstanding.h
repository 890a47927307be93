/* outstanding.h - operations of this process that are not complete locally: data of a large put on their way out, data of a get to come.
 * Under the global lock. */
#ifndef ARMCII_OUTSTANDING_H
#define ARMCII_OUTSTANDING_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "transport/am/bufpool.h"
#include "shape/shape.h"

struct outstanding {
    uint64_t ticket;
    int owner;          /* of the remote memory */
    int tag;            /* of a reply: released when it is complete; 0: none */
    char *buffer;       /* to unpack from; NULL: in place */
    struct shape shape; /* to unpack to */
    void **addresses;
};

/* For data to be unpacked. */
extern struct bufpool armcii_outstanding_buffers;
/* Any thread may read it without the lock. */
extern atomic_uint armcii_outstanding_count;

/* NULL while there are too many. */
struct outstanding *armcii_outstanding_new(uint64_t ticket, int owner);
/* The data come in the buffer, and are to be unpacked. */
void armcii_outstanding_unpacks(struct outstanding *o, const struct shape *s, char *buffer);
/* From now on it may complete at any time. */
void armcii_outstanding_started(struct outstanding *o, MPI_Request request);
/* Complete what can be completed; true when anything was. */
bool armcii_outstanding_progress(void);

/* Is any part of the operation outstanding?  Is any operation up to that ticket outstanding on memory of the owner, of anybody (-1)? */
bool armcii_outstanding_has(uint64_t ticket);
bool armcii_outstanding_of(int owner, uint64_t ticket);

#endif
