/* reserve.h - memory that regions of this node will need. The kernel counts a page when it is
 * touched, so untouched memory of regions looks free. The node control block therefore holds the
 * sum of all reserved bytes. Without a node control block nothing is counted. */
#ifndef ARMCII_RESERVE_H
#define ARMCII_RESERVE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/cgroup.h"

/* Bytes of shared memory. */
enum { OTHERS = 1 + CGROUP_LEVELS };
struct reservations {
    atomic_size_t bytes;          /* reserved */
    atomic_size_t others[OTHERS]; /* of other programs in the node, then in each group: at most what
                                     was in use at start */
};

/* By each process, with the node's control block or NULL; `first`: of the process that writes what
 * other programs use. The topmost `levels` control groups contain all processes of the node. */
void armcii_reservations_start(struct reservations *shared, bool first,
                               const struct cgroups *groups, int levels);
void armcii_reservations_end(void);

/* Reserve bytes, and release them. One process of the node calls these for each segment. */
void armcii_reservation_add(size_t bytes);
void armcii_reservation_release(size_t bytes);

/* Reserves bytes if they are available once all reserved memory is touched; *left is what is
 * available. Reads system files. */
bool armcii_reservation_try(size_t bytes, size_t *left);
/* Lowers the memory of others, given that `touched` reserved bytes are in use. */
void armcii_reservation_correct(size_t touched);

#endif
