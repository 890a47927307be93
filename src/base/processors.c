/* processors.c - the processors that processes may run on. */
#define _GNU_SOURCE
#include "base/processors.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"

/* By the system call itself, which fails where there is no room for all processors that the kernel could have. */
uint64_t *armcii_processors_mask(size_t *words)
{
    enum { FIRST = 16, MOST = 1 << 14 }; /* words: for a thousand and a million processors */
    long bytes = -1;
    uint64_t *mask = NULL;
    for (size_t room = FIRST; bytes < 0 && room <= MOST; room *= 2) {
        free(mask);
        mask = calloc(room, sizeof *mask);
        if (!mask) armcii_fatal("out of memory for a mask of processors");
        *words = room;
        bytes = syscall(SYS_sched_getaffinity, 0, room * sizeof *mask, mask);
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    for (long i = 0; bytes < 0 && i < online; i++)
        mask[i / 64] |= (uint64_t)1 << i % 64;
    while (*words > 1 && mask[*words - 1] == 0)
        (*words)--;
    return mask;
}

size_t armcii_processors_count(const uint64_t *mask, size_t words)
{
    size_t n = 0;
    for (size_t i = 0; i < words; i++)
        n += (size_t)__builtin_popcountll(mask[i]);
    return n;
}

size_t armcii_processors_of_all(const uint64_t *masks, size_t n, size_t words)
{
    size_t count = 0;
    for (size_t word = 0; word < words; word++) {
        uint64_t any = 0;
        for (size_t i = 0; i < n; i++)
            any |= masks[i * words + word];
        count += armcii_processors_count(&any, 1);
    }
    return count;
}

/* Is all of a in b? */
static bool is_within(const uint64_t *a, const uint64_t *b, size_t words)
{
    for (size_t i = 0; i < words; i++)
        if (a[i] & ~b[i]) return false;
    return true;
}

bool armcii_processors_crowded(const uint64_t *masks, size_t n, size_t words, size_t me)
{
    const uint64_t *mine = masks + me * words;
    size_t within = 0;
    for (size_t i = 0; i < n; i++)
        within += is_within(masks + i * words, mine, words);
    return within > armcii_processors_count(mine, words) || n > armcii_processors_of_all(masks, n, words);
}

/* How many of n processes are in the group. */
static size_t members(uint64_t id, const uint64_t (*ids)[CGROUP_LEVELS], size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        int level = 0;
        while (level < CGROUP_LEVELS && ids[i][level] != id)
            level++;
        count += level < CGROUP_LEVELS;
    }
    return count;
}

size_t armcii_processors_quota(const struct cgroups *own, const uint64_t (*ids)[CGROUP_LEVELS], size_t n)
{
    size_t least = SIZE_MAX;
    for (int level = 0; level < own->levels; level++) {
        size_t quota = armcii_cgroups_processors(own, level);
        if (quota < least && members(own->id[level], ids, n) == n) least = quota;
    }
    return least;
}

bool armcii_processors_over_quota(const struct cgroups *own, const uint64_t (*ids)[CGROUP_LEVELS], size_t n)
{
    for (int level = 0; level < own->levels; level++)
        if (members(own->id[level], ids, n) > armcii_cgroups_processors(own, level)) return true;
    return false;
}
