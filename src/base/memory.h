/* memory.h - how much memory this node has left. */
#ifndef ARMCII_MEMORY_H
#define ARMCII_MEMORY_H

#include <stddef.h>

/* Bytes that programs can still have without swapping; SIZE_MAX where the system does not tell. */
size_t armcii_memory_available(void);
/* The same for shared memory of an MPI library, which has its files in /dev/shm. */
size_t armcii_memory_available_to_mpi(void);

#endif
