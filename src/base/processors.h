/* processors.h - the processors that processes may run on: affinity masks, which cpusets bound, and quotas of control groups. */
#ifndef ARMCII_PROCESSORS_H
#define ARMCII_PROCESSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cgroup.h"

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
