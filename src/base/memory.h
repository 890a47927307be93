/* memory.h - how much memory this node has left. */
#ifndef ARMCII_MEMORY_H
#define ARMCII_MEMORY_H

#include <stddef.h>

#include "base/cgroup.h"

/* Bytes of the node, SIZE_MAX where the system does not tell. */
struct memory {
    size_t available; /* that programs can still have without swapping */
    size_t shared;    /* shared memory that is in use, by anyone */
};

/* root: a folder with proc/; "" for the system's. */
void armcii_memory_read(const char *root, struct memory *memory);

/* Bytes that the node and the control groups leave to this process.  The same for shared memory of an MPI library, which has its files in
 * /dev/shm. */
size_t armcii_memory_available(void);
size_t armcii_memory_available_to_mpi(void);
/* Bytes that are free in /dev/shm. */
size_t armcii_memory_of_files(void);

/* Bytes of [memory, memory + bytes), a mapping, that are in memory, about: one page in 64 is looked at. */
size_t armcii_memory_touched(void *memory, size_t bytes);

/* Bytes that the node and the topmost `levels` groups leave when all that was reserved is touched. */
size_t armcii_memory_left(const char *root, const struct cgroups *groups, int levels, const struct reserved *reserved);

#endif
