/* cgroup.h - the control groups that hold this process, versions 1 and 2: what they leave of the node's memory and processors. */
#ifndef ARMCII_CGROUP_H
#define ARMCII_CGROUP_H

#include <stddef.h>
#include <stdint.h>

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

#endif
