/* processors.h - which processors this process and its neighbours may use: affinity masks, and
 * quotas of control groups. */
#ifndef ARMCII_PROCESSORS_H
#define ARMCII_PROCESSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cgroup.h"

/* Identifies the running kernel: containers on one kernel are separate nodes but share processors.
 * 0: unknown. */
uint64_t armcii_kernel_id(void);
/* Processes with the same id run on one kernel under one host name and in the same namespaces. 0:
 * unknown. */
uint64_t armcii_host_id(void);

/* The caller's affinity mask, 64 processors in each word, or all online processors if it is
 * unknown. The caller frees it. */
uint64_t *armcii_processors_mask(size_t *words);
/* The number of processors in a mask. */
size_t armcii_processors_count(const uint64_t *mask, size_t words);

/* The number of processors that n processes may use together; each mask has `words` words. */
size_t armcii_processors_of_all(const uint64_t *masks, size_t n, size_t words);
/* Are more processes bound to the processors of process `me` than it has processors? If asked for
 * every process, the answer is exact for masks that are nested or disjoint, as when processes are
 * bound to cores, caches, sockets or nothing. */
bool armcii_processors_oversubscribed(const uint64_t *masks, size_t n, size_t words, size_t me);

/* The same by quotas. ids[i] are the groups of process i, own those of the caller. The quota is
 * the least of the groups that contain all n processes (n may be 0). */
size_t armcii_processors_quota(const struct cgroups *own, const uint64_t (*ids)[CGROUP_LEVELS],
                               size_t n);
bool armcii_processors_over_quota(const struct cgroups *own, const uint64_t (*ids)[CGROUP_LEVELS],
                                  size_t n);

#endif
