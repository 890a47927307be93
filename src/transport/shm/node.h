/* node.h - the caller's node: the processes that share its memory, and the block that they have in common from start to end. */
#ifndef ARMCII_NODE_H
#define ARMCII_NODE_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "transport/shm/segment.h"
#include "transport/shm/stripe.h"

enum { MAX_EXPORTS = 64 };

/* The memory that one process offers to the others (offer.h).  An entry is written once, before `count` says that it is there. */
struct exports {
    atomic_int count;
    struct export {
        char *base; /* in that process */
        size_t bytes;
        struct segment_handle segment;
    } of[MAX_EXPORTS];
};

/* By which the processes of a node wake each other's library threads (transport/rma/doorbell.h). */
struct doorbell {
    _Alignas(64) atomic_uint rung; /* how often */
    atomic_bool asleep;            /* the thread sleeps: it wants to hear of it */
    unsigned char length;          /* of the name; 0: there is no bell */
    char name[15];                 /* of its socket */
};

/* The processors of the caller's kernel, which may run several nodes of a job. */
struct node_cpus {
    size_t processes;  /* of this job on this kernel, progress ranks included */
    size_t processors; /* that they may use together */
    bool oversubscribed;      /* some have to share a processor */
};

struct node {
    enum segment_kind kind;  /* of the segments to make; SEGMENT_NONE: memory is not shared */
    MPI_Comm comm;           /* the processes of this node, of all that ARMCI runs on, and the one set progress_ranks, if any */
    int rank, size;          /* without that one, whose rank is size */
    int *rank_of;            /* [world size]: rank on this node; -1: on another */
    struct stripe *stripes;  /* [STRIPES] */
    struct doorbell *doorbells;      /* [size]; NULL where memory is not shared */
    struct node_cpus cpus;
    struct exports *exports;   /* [size], and of the one progress rank, which exports nothing */
};

extern const struct node *const armcii_node;

/* Collective over the world and the progress ranks.  ARMCI_SHM says which kinds of memory are tried. */
void armcii_node_start(void);
void armcii_node_end(void);

/* Wait for all processes of the node; what each of them stored before is seen by all after. */
void armcii_node_barrier(void);

#endif
