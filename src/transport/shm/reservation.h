/* reservation.h - reservations of shared memory on the caller's node.  The kernel counts a page when it is touched, so untouched memory
 * of regions looks free.  The node control block therefore holds the sum of all reserved bytes. */
#ifndef ARMCII_RESERVATION_H
#define ARMCII_RESERVATION_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/system.h"

/* Part of the node control block. */
enum { OTHERS = 1 + CGROUP_LEVELS };
struct reservations {
    atomic_size_t bytes;          /* reserved */
    atomic_size_t others[OTHERS]; /* shared memory of other programs in the node, then in each group: at most what was in use at start */
};

/* Collective over comm, the processes of the node.  shared: NULL without a node control block; then reservations are not counted.
 * in_dev_shm: the memory is that of the MPI library, in /dev/shm. */
void armcii_reservation_start(MPI_Comm comm, struct reservations *shared, bool in_dev_shm);
void armcii_reservation_end(void);

/* Reserve bytes, and release them.  One process of the node calls these for each segment. */
void armcii_reservation_add(size_t bytes);
void armcii_reservation_release(size_t bytes);

/* Reserves bytes if they are available once all reserved memory is touched; *left is what is available.  Reads system files. */
bool armcii_reservation_try(size_t bytes, size_t *left);
/* Lowers the memory of others, given that `touched` reserved bytes are in use. */
void armcii_reservation_correct(size_t touched);

#endif
