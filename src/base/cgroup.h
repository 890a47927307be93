/* cgroup.h - control groups, versions 1 (the default of RHEL 8 and its kin) and 2, and the memory
 * that they and the node leave. SIZE_MAX always means: no limit, or unknown. */
#ifndef ARMCII_CGROUP_H
#define ARMCII_CGROUP_H

#include <stddef.h>
#include <stdint.h>

/* The number in a file; SIZE_MAX if it has none ("max", "-1"). */
size_t armcii_number_in(const char *path);

enum cgroup_resource { CGROUP_MEMORY, CGROUP_CPU };
enum { CGROUP_LEVELS = 24, CGROUP_PATH = 4096 };

/* The groups of this process from the top down; each bounds those below it. Groups beyond
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

#endif
