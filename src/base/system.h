/* system.h - what the system leaves to this process and its node: memory, descriptors, mappings; and which file this library is in. */
#ifndef ARMCII_SYSTEM_H
#define ARMCII_SYSTEM_H

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

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

/* ---- control groups ---- */

/* The control groups that hold this process, versions 1 and 2: what they leave of the node's memory and processors. */

enum cgroup_resource { CGROUP_MEMORY, CGROUP_CPU };
enum { CGROUP_LEVELS = 24, CGROUP_PATH = 4096 };

/* The groups of this process from the top down; each bounds those below it.  Groups beyond the last level are left out. */
struct cgroups {
    int version; /* 1 or 2; 0: no groups, or none that can be read */
    int levels;
    uint64_t id[CGROUP_LEVELS];   /* processes of one kernel with the same id are in the same group; never 0 */
    size_t length[CGROUP_LEVELS]; /* of the group's folder, a prefix of path */
    char path[2 * CGROUP_PATH];
};

/* root: a folder with proc/ and sys/; "" for the system's. */
void armcii_cgroups_read(const char *root, enum cgroup_resource resource, struct cgroups *groups);

/* Shared memory that was given out and need not be in use yet: pages count as used only when they are touched. */
struct reserved {
    size_t bytes;                          /* all that was given out, touched or not */
    size_t others;                         /* shared memory of the node that is not ours */
    size_t others_in_group[CGROUP_LEVELS]; /* and of each group */
};

/* Memory that `bytes` take once they are touched: with the kernel's tables of their pages, 1/455 for the file and 1/512 in each process. */
static inline size_t armcii_memory_with_tables(size_t bytes)
{
    size_t tables = bytes / 64;
    return bytes > SIZE_MAX - tables ? SIZE_MAX : bytes + tables;
}

/* Bytes that the topmost `levels` groups leave when all that was reserved is touched; SIZE_MAX: no limit. */
size_t armcii_cgroups_memory(const struct cgroups *groups, int levels, const struct reserved *reserved);
/* Shared memory of a group that is in use; SIZE_MAX where the kernel does not say. */
size_t armcii_cgroups_shared(const struct cgroups *groups, int level);

/* Whole processors, at least 1, that the quota of the group at that level is worth; SIZE_MAX: no quota. */
size_t armcii_cgroups_processors(const struct cgroups *groups, int level);

/* ---- memory ---- */

/* How much memory this node has left. */

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

/* ---- processors ---- */

/* The processors that processes may run on: affinity masks, which cpusets bound, and quotas of control groups. */

/* The caller's mask, 64 processors a word; to be freed.  Where the system does not tell: all that are online. */
uint64_t *armcii_processors_mask(size_t *words);
/* Processors in a mask. */
size_t armcii_processors_count(const uint64_t *mask, size_t words);

/* n processes have these masks, of `words` words each, and may use so many processors together. */
size_t armcii_processors_of_all(const uint64_t *masks, size_t n, size_t words);
/* Do more processes have to run on the processors of process `me` than there are?  Exact where of any two masks that meet one holds the
 * other, as with binding to cores, caches, sockets or nothing, when it is asked for each process. */
bool armcii_processors_crowded(const uint64_t *masks, size_t n, size_t words, size_t me);

/* As above, by quotas: ids[i] are the groups of process i, own those of the caller.  Returns the least quota of a group that holds all. */
size_t armcii_processors_quota(const struct cgroups *own, const uint64_t (*ids)[CGROUP_LEVELS], size_t n);
bool armcii_processors_over_quota(const struct cgroups *own, const uint64_t (*ids)[CGROUP_LEVELS], size_t n);

#endif
