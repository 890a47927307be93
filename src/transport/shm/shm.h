/* shm.h - the transport shm: loads, stores and atomic instructions on memory that the processes of a node share.  Operations are complete
 * when they return; a fence drains the processor's stores. */
#ifndef ARMCII_SHM_H
#define ARMCII_SHM_H

#include "transport/transport.h"
#include "transport/shm/segment.h"

extern const struct transport armcii_shm;

struct shm_region {
    struct shm_segment segment; /* the memory of the members on this node */
};

#endif
