/* cgroup.c - the control groups of this process. */
#include "base/cgroup.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* One hierarchy for each resource in version 1, one for all in version 2. */
static const char *const mounts[] = {[CGROUP_MEMORY] = "/sys/fs/cgroup/memory", [CGROUP_CPU] = "/sys/fs/cgroup/cpu"};
static const char *const controllers[] = {[CGROUP_MEMORY] = "memory", [CGROUP_CPU] = "cpu"};
static const char mount_2[] = "/sys/fs/cgroup";

/* Is the word in the list, whose words are separated by commas? */
static bool lists(const char *list, size_t length, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = list; at + n <= list + length; at++) {
        bool begins = at == list || at[-1] == ',', ends = at + n == list + length || at[n] == ',';
        if (begins && ends && memcmp(at, word, n) == 0) return true;
    }
    return false;
}

/* A line "number:controllers:path", into `group` if it is of the resource; returns the version, 0 if it is of another one. */
static int parse_line(char *line, const char *controller, char *group)
{
    char *list = strchr(line, ':'), *path = list ? strchr(++list, ':') : NULL;
    if (!path) return 0;
    size_t length = (size_t)(path - list);
    if (length > 0 && !lists(list, length, controller)) return 0;
    path[1 + strcspn(path + 1, "\n")] = '\0';
    strcpy(group, path + 1);
    return length > 0 ? 1 : 2;
}

/* The lowest group of this process in the hierarchy of the resource.  A system may have both versions: then the controllers that version 1
 * has are not in version 2. */
static int find_group(const char *root, const char *controller, char group[CGROUP_PATH])
{
    char name[CGROUP_PATH], line[CGROUP_PATH], found[CGROUP_PATH];
    int version = 0;
    snprintf(name, sizeof name, "%s/proc/self/cgroup", root);
    FILE *f = fopen(name, "r");
    if (!f) return 0;
    while (version != 1 && fgets(line, sizeof line, f)) {
        int this = parse_line(line, controller, found);
        if (this == 0) continue;
        version = this;
        strcpy(group, found);
    }
    fclose(f);
    return version;
}

/* The group whose folder is the first `length` characters of path, where it can be seen: in a container the folders above its own group may
 * be missing, and the group itself may be mounted at the top. */
static void add_level(struct cgroups *g, size_t length)
{
    struct stat status;
    char end = g->path[length];
    g->path[length] = '\0';
    if (g->levels < CGROUP_LEVELS && stat(g->path, &status) == 0) {
        g->id[g->levels] = ((uint64_t)status.st_dev << 48 ^ (uint64_t)status.st_ino) | (uint64_t)1 << 63;
        g->length[g->levels++] = length;
    }
    g->path[length] = end;
}

void armcii_cgroups_read(const char *root, enum cgroup_resource resource, struct cgroups *g)
{
    char group[CGROUP_PATH] = "";
    *g = (struct cgroups){0};
    g->version = find_group(root, controllers[resource], group);
    if (g->version == 0) return;
    size_t top = (size_t)snprintf(g->path, CGROUP_PATH, "%s%s", root, g->version == 1 ? mounts[resource] : mount_2);
    if (top >= CGROUP_PATH) return;
    snprintf(g->path + top, CGROUP_PATH, "%s", strcmp(group, "/") == 0 ? "" : group);
    add_level(g, top);
    for (size_t at = top + 1, end = strlen(g->path); at <= end; at++)
        if (at == end || g->path[at] == '/') add_level(g, at);
}

static FILE *open_file(const struct cgroups *g, int level, const char *file)
{
    char name[3 * CGROUP_PATH];
    snprintf(name, sizeof name, "%.*s/%s", (int)g->length[level], g->path, file);
    return fopen(name, "r");
}

/* The number that a file holds; SIZE_MAX where there is none ("max", "-1"). */
static size_t number_in(const struct cgroups *g, int level, const char *file)
{
    long long number = -1;
    FILE *f = open_file(g, level, file);
    if (!f) return SIZE_MAX;
    if (fscanf(f, "%lld", &number) != 1 || number < 0) number = -1;
    fclose(f);
    return number < 0 ? SIZE_MAX : (size_t)number;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* At least 0. */
static size_t minus(size_t a, size_t b)
{
    return a > b ? a - b : 0;
}

/* What a group uses. */
struct usage {
    size_t cache;  /* files, and tables about files, that the kernel lets go when memory is short */
    size_t shared; /* shared memory; SIZE_MAX where the kernel does not say */
};

static struct usage read_usage(const struct cgroups *g, int level)
{
    static const char *const keys[][4] = {{"total_shmem", "total_inactive_file", "total_active_file", ""},
                                          {"shmem", "inactive_file", "active_file", "slab_reclaimable"}};
    char key[64];
    unsigned long long value;
    struct usage usage = {0, SIZE_MAX};
    const char *const *key_of = keys[g->version - 1];
    FILE *f = open_file(g, level, "memory.stat");
    if (!f) return usage;
    while (fscanf(f, "%63s %llu", key, &value) == 2) {
        if (strcmp(key, key_of[0]) == 0) usage.shared = value;
        for (int i = 1; i < 4; i++)
            if (strcmp(key, key_of[i]) == 0) usage.cache += value;
    }
    fclose(f);
    return usage;
}

/* Beyond memory.high the kernel holds processes back until memory is given back, which touched shared memory never is. */
static size_t limit_of(const struct cgroups *g, int level)
{
    static const size_t NO_LIMIT = (size_t)1 << 60; /* version 1 has a huge number then */
    size_t limit = g->version == 1 ? number_in(g, level, "memory.limit_in_bytes")
                                   : least(number_in(g, level, "memory.max"), number_in(g, level, "memory.high"));
    return limit >= NO_LIMIT ? SIZE_MAX : limit;
}

size_t armcii_cgroups_shared(const struct cgroups *g, int level)
{
    return read_usage(g, level).shared;
}

/* Where the kernel does not tell how much of what was reserved is in use, all counts as if it were. */
static size_t memory_at(const struct cgroups *g, int level, const struct reserved *reserved)
{
    size_t limit = limit_of(g, level);
    if (limit == SIZE_MAX) return SIZE_MAX;
    size_t used = number_in(g, level, g->version == 1 ? "memory.usage_in_bytes" : "memory.current");
    if (used == SIZE_MAX) return limit;
    struct usage usage = read_usage(g, level);
    size_t touched = usage.shared == SIZE_MAX ? SIZE_MAX : minus(usage.shared, reserved->others_in_group[level]);
    return minus(minus(limit, minus(used, usage.cache)), armcii_memory_with_tables(minus(reserved->bytes, touched)));
}

size_t armcii_cgroups_memory(const struct cgroups *groups, int levels, const struct reserved *reserved)
{
    size_t bytes = SIZE_MAX;
    for (int i = 0; i < levels && i < groups->levels; i++)
        bytes = least(bytes, memory_at(groups, i, reserved));
    return bytes;
}

size_t armcii_cgroups_processors(const struct cgroups *g, int level)
{
    unsigned long long quota = 0, period = 0;
    if (g->version == 2) {
        FILE *f = open_file(g, level, "cpu.max");
        bool has = f && fscanf(f, "%llu %llu", &quota, &period) == 2;
        if (f) fclose(f);
        if (!has) return SIZE_MAX;
    } else {
        size_t a = number_in(g, level, "cpu.cfs_quota_us"), b = number_in(g, level, "cpu.cfs_period_us");
        if (a == SIZE_MAX || b == SIZE_MAX) return SIZE_MAX;
        quota = a;
        period = b;
    }
    if (period == 0) return SIZE_MAX;
    return quota < period ? 1 : (size_t)(quota / period);
}
