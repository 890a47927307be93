/* limits.h - what the system leaves to this process and its node: memory, descriptors, mappings; and which file this library is in. */
#ifndef ARMCII_LIMITS_H
#define ARMCII_LIMITS_H

#include <stddef.h>

/* SIZE_MAX, everywhere: no limit, or the system does not tell. */
struct limits {
    size_t memory;           /* bytes that the node and the control groups leave */
    size_t memory_to_mpi;    /* the same for shared memory of an MPI library, which has its files in /dev/shm */
    size_t file;             /* bytes of the longest file (RLIMIT_FSIZE), and so of the memory that a node shares for one region */
    size_t locked;           /* bytes that may be locked (RLIMIT_MEMLOCK): some networks need that */
    size_t descriptors;      /* open files (RLIMIT_NOFILE) */
    size_t descriptors_used;
    size_t mappings;         /* vm.max_map_count */
    size_t mappings_used;
    size_t processors;       /* that this process may use */
};

void armcii_limits_read(struct limits *limits);

/* The file that this library's code was loaded from: the program itself where it is linked statically.  *is_program says which.  Returns
 * buffer; empty where the system does not tell. */
const char *armcii_limits_origin(char *buffer, size_t size, int *is_program);

/* For people, "1.5 GiB", "128", or for SIZE_MAX "no limit"; into buffer, which is returned. */
const char *armcii_limits_bytes(size_t bytes, char *buffer, size_t size);
const char *armcii_limits_count(size_t count, char *buffer, size_t size);
/* "4 of 20000", for a number in use and its limit. */
const char *armcii_limits_use(size_t used, size_t limit, char *buffer, size_t size);

#endif
