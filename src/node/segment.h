/* segment.h - shared memory segments of a node: anonymous files (memfd_create) that one process
 * creates and others open through /proc. They have no name, leave nothing after a crash, are not
 * limited by the size of /dev/shm and use no MPI window or context id. */
#ifndef ARMCII_SEGMENT_H
#define ARMCII_SEGMENT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Where to open a segment. Device and inode verify it, because process ids differ between
 * containers. */
struct segment_handle {
    long process;
    int descriptor; /* -1: invalid */
    dev_t device;
    ino_t inode;
};

/* Why the processes of a node share no memory, the most particular last. */
enum obstacle {
    OBSTACLE_NONE,
    OBSTACLE_FILE,    /* the system makes no such file, or none as long (ulimit -f) */
    OBSTACLE_PASSAGE, /* a process can neither open it nor get it over a socket */
    OBSTACLE_MAPPING, /* it cannot be mapped, at the same addresses in all processes */
    OBSTACLE_LIMIT,   /* the address space has a limit (ulimit -v) */
    OBSTACLE_LOCK,    /* mlockall would lock all of it */
};

/* A new descriptor of `bytes` of anonymous memory; -1 on failure. */
int armcii_segment_descriptor(size_t bytes);
/* The handle of a descriptor of this process; .descriptor is -1 if it is invalid. */
struct segment_handle armcii_segment_handle(int descriptor);
/* A descriptor of a segment of another process; -1 on failure. */
int armcii_segment_open(const struct segment_handle *handle);

/* Collective over comm: descriptors of `bytes` > 0 of the same anonymous memory; -1, on all
 * members, if one fails: then *obstacle is the reason. Where the kernel does not let a process open
 * /proc/PID/fd of another (in user namespaces of their own, or with another view of /proc), the
 * first member passes it (pass.h). */
int armcii_segment_share(size_t bytes, MPI_Comm comm, enum obstacle *obstacle);

#endif
