/* system.h - what the system allows this process and its node: limits, memory and processors. */
#ifndef ARMCII_SYSTEM_H
#define ARMCII_SYSTEM_H

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

/* SIZE_MAX always means: no limit, or unknown. */
struct limits {
    size_t memory; /* bytes available in the node and the control groups */
    size_t file; /* bytes of the longest file (RLIMIT_FSIZE): bounds the shared memory of one region
                    on a node */
    size_t locked;      /* bytes that may be locked (RLIMIT_MEMLOCK): some networks need it */
    size_t descriptors; /* open files (RLIMIT_NOFILE) */
    size_t descriptors_used;
    size_t mappings; /* vm.max_map_count */
    size_t mappings_used;
    size_t processors; /* usable by this process */
};

void armcii_system_limits(struct limits *limits);

/* The file that contains this library; *is_program: the program, which links it statically. Returns
 * buffer, empty if unknown. */
const char *armcii_system_library_file(char *buffer, size_t size, int *is_program);

/* Text such as "1.5 GiB", "128" or, for SIZE_MAX, "no limit".  Returns buffer. */
const char *armcii_system_format_bytes(size_t bytes, char *buffer, size_t size);
const char *armcii_system_format_count(size_t count, char *buffer, size_t size);
/* A number in use and its limit: "4 of 20000". */
const char *armcii_system_format_use(size_t used, size_t limit, char *buffer, size_t size);

/* ---- control groups, versions 1 (the default of RHEL 8 and its kin) and 2 ---- */

enum cgroup_resource { CGROUP_MEMORY, CGROUP_CPU };
enum { CGROUP_LEVELS = 24, CGROUP_PATH = 4096 };

/* The groups of this process from the top down; each bounds those below it.  Groups beyond
 * CGROUP_LEVELS are left out. */
struct cgroups {
    int version; /* 1 or 2; 0: no readable groups */
    int levels;
    uint64_t id[CGROUP_LEVELS];   /* the same id on one kernel means the same group; never 0 */
    size_t length[CGROUP_LEVELS]; /* of the group's folder, a prefix of path */
    char path[2 * CGROUP_PATH];
};

/* root: the folder that contains proc/ and sys/; "" for the real ones. */
void armcii_cgroups_read(const char *root, enum cgroup_resource resource, struct cgroups *groups);

/* Shared memory that is reserved but may not be touched yet: the kernel counts only touched pages
 * as used. Measured without this: a node with 23 GiB gave out five regions of 16 GiB, and the first
 * touches killed the job. */
struct reserved {
    size_t bytes;                          /* reserved, touched or not */
    size_t others;                         /* shared memory of other programs on the node */
    size_t others_in_group[CGROUP_LEVELS]; /* and in each group */
};

/* Memory used by `bytes` once they are touched: the kernel's page tables add 1/455 for the file and
 * 1/512 for each process. */
static inline size_t armcii_memory_with_tables(size_t bytes)
{
    size_t tables = bytes / 64;
    return bytes > SIZE_MAX - tables ? SIZE_MAX : bytes + tables;
}

/* Bytes available in the topmost `levels` groups once all reserved memory is touched; SIZE_MAX: no
 * limit. */
size_t armcii_cgroups_memory(const struct cgroups *groups, int levels,
                             const struct reserved *reserved);
/* Shared memory in use in a group; SIZE_MAX: unknown. */
size_t armcii_cgroups_shared(const struct cgroups *groups, int level);

/* The quota of the group at that level in whole processors, at least 1; SIZE_MAX: no quota. */
size_t armcii_cgroups_processors(const struct cgroups *groups, int level);

/* ---- memory ---- */

/* Bytes of the node; SIZE_MAX: unknown. */
struct memory {
    size_t available; /* without swapping */
    size_t shared;    /* shared memory in use by all programs */
};

/* root: the folder that contains proc/; "" for the real one. */
void armcii_memory_read(const char *root, struct memory *memory);

/* Bytes available in the node and the topmost `levels` groups once all reserved memory is touched.
 */
size_t armcii_memory_left(const char *root, const struct cgroups *groups, int levels,
                          const struct reserved *reserved);

/* ---- processors: affinity masks and quotas of control groups ---- */

/* Identifies the running kernel: containers on one kernel are separate nodes but share processors.
 * 0: unknown. */
uint64_t armcii_kernel_id(void);
/* Processes with the same id run on one kernel under one host name and in the same namespaces.  0:
 * unknown. */
uint64_t armcii_host_id(void);

/* The caller's affinity mask, 64 processors in each word, or all online processors if it is
 * unknown.  The caller frees it. */
uint64_t *armcii_processors_mask(size_t *words);
/* The number of processors in a mask. */
size_t armcii_processors_count(const uint64_t *mask, size_t words);

/* The number of processors that n processes may use together; each mask has `words` words. */
size_t armcii_processors_of_all(const uint64_t *masks, size_t n, size_t words);
/* Are more processes bound to the processors of process `me` than it has processors?  If asked for
 * every process, the answer is exact for masks that are nested or disjoint, as when processes are
 * bound to cores, caches, sockets or nothing. */
bool armcii_processors_oversubscribed(const uint64_t *masks, size_t n, size_t words, size_t me);

/* The same by quotas.  ids[i] are the groups of process i, own those of the caller.  The quota is
 * the least of the groups that contain all n processes (n may be 0). */
size_t armcii_processors_quota(const struct cgroups *own, const uint64_t (*ids)[CGROUP_LEVELS],
                               size_t n);
bool armcii_processors_over_quota(const struct cgroups *own, const uint64_t (*ids)[CGROUP_LEVELS],
                                  size_t n);

/* Has this process loaded a shared object whose path contains `name`? */
bool armcii_object_is_loaded(const char *name);
/* The paths of loaded shared objects whose file name contains `name`: at most `most`; returns how
 * many. */
int armcii_objects_with(const char *name, const char *paths[], int most);

#endif
