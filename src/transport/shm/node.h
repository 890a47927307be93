/* node.h - the caller's node: the processes that share its memory, and their node control block. */
#ifndef ARMCII_NODE_H
#define ARMCII_NODE_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "transport/shm/segment.h"
#include "transport/shm/stripe.h"

enum { MAX_EXPORTS = 64 };

/* The exported segments of one process (shm.h).  An entry is written once, before `count` includes it. */
struct exports {
    atomic_int count;
    struct export
    {
        char *base; /* in that process */
        size_t bytes;
        struct segment_handle segment;
    }
    of[MAX_EXPORTS];
};

/* Wakes the progress thread of a process (transport/rma/doorbell.h). */
struct doorbell {
    _Alignas(64) atomic_uint rung; /* number of rings */
    atomic_bool asleep;            /* the thread sleeps: a ring must wake it */
    unsigned char length;          /* length of the name; 0: no doorbell */
    char name[15];                 /* name of its socket */
};

/* The processors of the caller's kernel, which may run several nodes of a job. */
struct node_cpus {
    size_t processes;    /* of this job on this kernel, with progress ranks */
    size_t processors;   /* usable by these processes */
    bool oversubscribed; /* some processes share a processor */
    uint64_t *taken;     /* [words], a mask: the processors of these processes; NULL if no further one is left for each server */
    size_t words;
};

struct node {
    enum segment_kind kind;     /* of new segments; SEGMENT_NONE: memory is not shared */
    MPI_Comm comm;              /* the processes of this node, then its progress ranks, if any */
    int rank, size;             /* size: without the progress ranks, whose ranks are size, size + 1, ... */
    int *rank_of;               /* [world size]: rank on this node; -1: on another node */
    struct stripe *stripes;     /* [STRIPES] */
    struct doorbell *doorbells; /* [size]; NULL if memory is not shared */
    struct node_cpus cpus;
    struct exports *exports; /* [size], and those of the progress ranks, which export nothing */
};

extern const struct node *const armcii_node;

/* Collective over the world and the progress ranks.  ARMCI_SHM selects the kinds of segments to try. */
void armcii_node_start(void);
void armcii_node_end(void);

/* A barrier over the processes of the node; earlier stores of each are visible to all afterwards. */
void armcii_node_barrier(void);

/* ---- reservations ----
 *
 * The kernel counts a page when it is touched, so untouched memory of regions looks free.  The node control block therefore holds the sum
 * of all reserved bytes.  Without a node control block nothing is counted. */

/* Reserve bytes, and release them.  One process of the node calls these for each segment. */
void armcii_reservation_add(size_t bytes);
void armcii_reservation_release(size_t bytes);

/* Reserves bytes if they are available once all reserved memory is touched; *left is what is available.  Reads system files. */
bool armcii_reservation_try(size_t bytes, size_t *left);
/* Lowers the memory of others, given that `touched` reserved bytes are in use. */
void armcii_reservation_correct(size_t touched);

#endif
