/* host.h - the caller's host: the processes that share its memory, and the block that they have in common from start to end. */
#ifndef ARMCII_HOST_H
#define ARMCII_HOST_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "shm/crowd.h"
#include "shm/segment.h"
#include "shm/stripe.h"

enum { MOST_OFFERS = 64 };

/* The memory that one process offers to the others (offer.h).  An entry is written once, before `count` says that it is there. */
struct offers {
    atomic_int count;
    struct offer {
        char *base; /* in that process */
        size_t bytes;
        struct invitation segment;
    } of[MOST_OFFERS];
};

/* By which the processes of a host wake each other's library threads (server/bell.h). */
struct bell {
    _Alignas(64) atomic_uint rung; /* how often */
    atomic_bool asleep;            /* the thread sleeps: it wants to hear of it */
    unsigned char length;          /* of the name; 0: there is no bell */
    char name[15];                 /* of its socket */
};

struct host {
    enum segment_kind kind;  /* of the segments to make; SEGMENT_NONE: memory is not shared */
    MPI_Comm comm;           /* the processes of this host, of all that ARMCI runs on, and the one set aside, if any */
    int rank, size;          /* without that one, whose rank is size */
    int *rank_of;            /* [world size]: rank on this host; -1: on another */
    struct stripe *stripes;  /* [STRIPES] */
    struct bell *bells;      /* [size]; NULL where memory is not shared */
    struct crowd crowd;      /* on this kernel, which may run more hosts */
    struct offers *offers;   /* [size], and of the one set aside, which offers nothing */
};

extern const struct host *const armcii_host;

/* Collective over the world.  `kinds`: in order of preference, up to SEGMENT_NONE; the first that works on every host is taken. */
void armcii_host_start(const enum segment_kind kinds[]);
void armcii_host_end(void);

/* Wait for all processes of the host; what each of them stored before is seen by all after. */
void armcii_host_barrier(void);

#endif
