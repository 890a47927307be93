/* processors.c - affinity masks and quotas of processors. */
#define _GNU_SOURCE
#include "base/processors.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/log.h"

static uint64_t add_to_hash(uint64_t hash, const char *text)
{
    for (const char *c = text; *c; c++)
        hash = hash * 31 + (unsigned char)*c;
    return hash;
}

uint64_t armcii_kernel_id(void)
{
    char text[64] = "";
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (!f) return 0;
    if (!fgets(text, sizeof text, f)) text[0] = 0;
    fclose(f);
    return add_to_hash(0, text);
}

uint64_t armcii_host_id(void)
{
    static const char *const namespaces[] = {"/proc/self/ns/ipc",  "/proc/self/ns/mnt",
                                             "/proc/self/ns/net",  "/proc/self/ns/pid",
                                             "/proc/self/ns/user", "/proc/self/ns/uts"};
    struct utsname host;
    uint64_t id = armcii_kernel_id();
    if (id == 0 || uname(&host) != 0) return 0;
    id = add_to_hash(id, host.nodename);
    for (size_t i = 0; i < sizeof namespaces / sizeof *namespaces; i++) {
        char name[64];
        ssize_t length = readlink(namespaces[i], name, sizeof name - 1);
        if (length < 0) return 0;
        name[length] = '\0';
        id = add_to_hash(id, name);
    }
    return id;
}

/* sched_getaffinity fails if the mask is too short for all possible processors, so the mask grows.
 */
uint64_t *armcii_processors_mask(size_t *words)
{
    enum { FIRST = 16, MOST = 1 << 14 }; /* words: a thousand and a million processors */
    bool known = false;
    uint64_t *mask = NULL;
    for (size_t room = FIRST; !known && room <= MOST; room *= 2) {
        free(mask);
        mask = calloc(room, sizeof *mask);
        if (!mask) armcii_fatal("out of memory for a mask of processors");
        *words = room;
        known = sched_getaffinity(0, room * sizeof *mask, (cpu_set_t *)mask) == 0;
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    for (long i = 0; !known && i < online; i++)
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

/* Is mask a a subset of b? */
static bool is_subset(const uint64_t *a, const uint64_t *b, size_t words)
{
    for (size_t i = 0; i < words; i++)
        if (a[i] & ~b[i]) return false;
    return true;
}

bool armcii_processors_oversubscribed(const uint64_t *masks, size_t n, size_t words, size_t me)
{
    const uint64_t *mine = masks + me * words;
    size_t within = 0;
    for (size_t i = 0; i < n; i++)
        within += is_subset(masks + i * words, mine, words);
    return within > armcii_processors_count(mine, words) ||
           n > armcii_processors_of_all(masks, n, words);
}

/* The number of the n processes that are in the group. */
static size_t count_members(uint64_t id, const uint64_t (*ids)[CGROUP_LEVELS], size_t n)
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

size_t armcii_processors_quota(const struct cgroups *own, const uint64_t (*ids)[CGROUP_LEVELS],
                               size_t n)
{
    size_t least = SIZE_MAX;
    for (int level = 0; level < own->levels; level++) {
        size_t quota = armcii_cgroups_processors(own, level);
        if (quota < least && count_members(own->id[level], ids, n) == n) least = quota;
    }
    return least;
}

bool armcii_processors_over_quota(const struct cgroups *own, const uint64_t (*ids)[CGROUP_LEVELS],
                                  size_t n)
{
    for (int level = 0; level < own->levels; level++)
        if (count_members(own->id[level], ids, n) > armcii_cgroups_processors(own, level))
            return true;
    return false;
}
