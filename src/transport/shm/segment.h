/* segment.h - shared memory segments of a node: anonymous files (memfd_create) that one process
 * creates and others open through /proc or, where that is refused, are passed (pass.h).  They have
 * no name, leave nothing after a crash, are not limited by the size of /dev/shm and use no MPI
 * window or context id. */
#ifndef ARMCII_SEGMENT_H
#define ARMCII_SEGMENT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "transport/shm/pass.h"

/* Where to open a segment.  Device and inode verify it, because process ids differ between
 * containers. */
struct segment_handle {
    long process;
    int descriptor; /* -1: invalid */
    dev_t device;
    ino_t inode;
    char passed_by[PASS_NAME];
};

/* Collective over comm: can its members share memory so? */
bool armcii_segment_is_possible(MPI_Comm comm);

/* A new descriptor of `bytes` of anonymous memory; -1 on failure. */
int armcii_segment_descriptor(size_t bytes);
/* Collective over comm, whose members share memory: descriptors of `bytes` > 0 of the same
 * anonymous memory; -1 on a member that fails. */
int armcii_segment_share(size_t bytes, MPI_Comm comm);
/* The handle of a descriptor of this process; .descriptor is -1 if it is invalid. */
struct segment_handle armcii_segment_handle(int descriptor);
/* Maps a segment of another process; NULL on failure. */
char *armcii_segment_open(const struct segment_handle *segment, size_t bytes);
/* Maps a descriptor, with huge pages if it is large; NULL on failure. */
void *armcii_segment_map(int descriptor, size_t bytes);

#endif
