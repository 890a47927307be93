/* reservation.h - shared memory of the caller's node that was given out.  The kernel counts a page when it is touched, so memory that regions
 * have, but nobody has touched yet, still looks free: a sum in the node's common block, seen by all its processes, tells how much was
 * given out. */
#ifndef ARMCII_RESERVATION_H
#define ARMCII_RESERVATION_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/system.h"

/* In the common block. */
enum { OTHERS = 1 + CGROUP_LEVELS };
struct reservations {
    atomic_size_t bytes;          /* given out */
    atomic_size_t others[OTHERS]; /* shared memory of the node, and of the groups that hold all its processes, that is not ours, as far as
                                   * is known: what was in use at the start */
};

/* Collective over comm, the processes of the node; shared: NULL where there is no common block.  Then nothing is counted as given out.
 * in_dev_shm: the memory is the MPI library's, which has its files in /dev/shm. */
void armcii_reservation_start(MPI_Comm comm, struct reservations *shared, bool in_dev_shm);
void armcii_reservation_end(void);

/* Give out so many bytes, and take them back.  By one process of the node for each segment. */
void armcii_reservation_add(size_t bytes);
void armcii_reservation_release(size_t bytes);

/* Give them out if so much is left when all that was given out is touched; else *left is what is left.  Looks at the system. */
bool armcii_reservation_try(size_t bytes, size_t *left);
/* At least `touched` bytes of what was given out are in use: shared memory of others, which was taken for them, has gone. */
void armcii_reservation_correct(size_t touched);

#endif
