/* limits.h - what the system allows this process. */
#ifndef TOOLS_LIB_LIMITS_H
#define TOOLS_LIB_LIMITS_H

#include <stddef.h>

/* SIZE_MAX always means: no limit, or unknown. */
struct limits {
    size_t file; /* bytes of the longest file (RLIMIT_FSIZE): bounds the shared memory of one region
                    on a node */
    size_t locked;      /* bytes that may be locked (RLIMIT_MEMLOCK): some networks need it */
    size_t descriptors; /* open files (RLIMIT_NOFILE) */
    size_t descriptors_used;
    size_t mappings; /* vm.max_map_count */
    size_t mappings_used;
};

struct limits read_limits(void);

#endif
