/* cgroup.c - control groups, and the memory that they and the node leave. */
#define _GNU_SOURCE
#include "base/cgroup.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_ROOM = 3 * CGROUP_PATH };

size_t armcii_number_in(const char *path)
{
    long long number = -1;
    FILE *f = fopen(path, "r");
    if (!f) return SIZE_MAX;
    if (fscanf(f, "%lld", &number) != 1) number = -1;
    fclose(f);
    return number < 0 ? SIZE_MAX : (size_t)number;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* a - b, at least 0. */
static size_t minus(size_t a, size_t b)
{
    return a > b ? a - b : 0;
}

/* Version 1 has one hierarchy for each resource, version 2 one for all. */
static const char *const mounts[] = {
    [CGROUP_MEMORY] = "/sys/fs/cgroup/memory", [CGROUP_CPU] = "/sys/fs/cgroup/cpu"};
static const char *const controllers[] = {[CGROUP_MEMORY] = "memory", [CGROUP_CPU] = "cpu"};
static const char mount_2[] = "/sys/fs/cgroup";

/* Is the word in the comma-separated list, which is overwritten? */
static bool lists(char *list, const char *word)
{
    for (const char *item; (item = strsep(&list, ","));)
        if (strcmp(item, word) == 0) return true;
    return false;
}

/* Parses a line "number:controllers:path", which is overwritten. If it is about the controller,
 * copies the path to `group` and returns the version, else 0. */
static int parse_line(char *line, const char *controller, char *group)
{
    strsep(&line, ":");
    char *list = strsep(&line, ":");
    bool unified = list && *list == '\0';
    if (!line || (!unified && !lists(list, controller))) return 0;
    line[strcspn(line, "\n")] = '\0';
    strcpy(group, line);
    return unified ? 2 : 1;
}

/* The innermost group of this process. A system may have both versions: a controller of version 1
 * is then not in version 2. */
static int find_group(const char *root, const char *controller, char group[CGROUP_PATH])
{
    char name[CGROUP_PATH], line[CGROUP_PATH];
    int version = 0;
    snprintf(name, sizeof name, "%s/proc/self/cgroup", root);
    FILE *f = fopen(name, "r");
    if (!f) return 0;
    while (version != 1 && fgets(line, sizeof line, f)) {
        int found = parse_line(line, controller, group);
        if (found) version = found;
    }
    fclose(f);
    return version;
}

/* Adds the group whose folder is the first `length` characters of path, if it is visible: a
 * container may not see the folders above its own group, and its group may be mounted at the top.
 */
static void add_level(struct cgroups *g, size_t length)
{
    struct stat status;
    char end = g->path[length];
    g->path[length] = '\0';
    if (g->levels < CGROUP_LEVELS && stat(g->path, &status) == 0) {
        g->id[g->levels] = ((uint64_t)status.st_dev << 48 ^ (uint64_t)status.st_ino) | (uint64_t)1
                                                                                           << 63;
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
    size_t top = (size_t)snprintf(g->path, CGROUP_PATH, "%s%s", root,
                                  g->version == 1 ? mounts[resource] : mount_2);
    if (top >= CGROUP_PATH) return;
    snprintf(g->path + top, CGROUP_PATH, "%s", strcmp(group, "/") == 0 ? "" : group);
    add_level(g, top);
    for (size_t at = top + 1, end = strlen(g->path); at <= end; at++)
        if (at == end || g->path[at] == '/') add_level(g, at);
}

static const char *file_of(const struct cgroups *g, int level, const char *file,
                           char name[FILE_ROOM])
{
    snprintf(name, FILE_ROOM, "%.*s/%s", (int)g->length[level], g->path, file);
    return name;
}

static size_t group_number(const struct cgroups *g, int level, const char *file)
{
    char name[FILE_ROOM];
    return armcii_number_in(file_of(g, level, file, name));
}

struct usage {
    size_t cache;  /* memory of files that the kernel reclaims when memory is short */
    size_t shared; /* shared memory; SIZE_MAX: unknown */
};

static struct usage read_usage(const struct cgroups *g, int level)
{
    static const char *const keys[][4] = {
        {"total_shmem", "total_inactive_file", "total_active_file", ""},
        {"shmem", "inactive_file", "active_file", "slab_reclaimable"}};
    char key[64], name[FILE_ROOM];
    unsigned long long value;
    struct usage usage = {0, SIZE_MAX};
    const char *const *key_of = keys[g->version - 1];
    FILE *f = fopen(file_of(g, level, "memory.stat", name), "r");
    if (!f) return usage;
    while (fscanf(f, "%63s %llu", key, &value) == 2) {
        if (strcmp(key, key_of[0]) == 0) usage.shared = value;
        for (int i = 1; i < 4; i++)
            if (strcmp(key, key_of[i]) == 0) usage.cache += value;
    }
    fclose(f);
    return usage;
}

/* Beyond memory.high the kernel throttles processes until memory is released, but touched shared
 * memory never is. */
static size_t group_limit(const struct cgroups *g, int level)
{
    static const size_t NO_LIMIT = (size_t)1 << 60; /* in version 1 a huge number */
    size_t limit = g->version == 1 ? group_number(g, level, "memory.limit_in_bytes")
                                   : least(group_number(g, level, "memory.max"),
                                           group_number(g, level, "memory.high"));
    return limit >= NO_LIMIT ? SIZE_MAX : limit;
}

size_t armcii_cgroups_shared(const struct cgroups *g, int level)
{
    return read_usage(g, level).shared;
}

/* If the kernel does not report shared memory, all reserved bytes count as touched. */
static size_t memory_at(const struct cgroups *g, int level, const struct reserved *reserved)
{
    size_t limit = group_limit(g, level);
    if (limit == SIZE_MAX) return SIZE_MAX;
    size_t used =
        group_number(g, level, g->version == 1 ? "memory.usage_in_bytes" : "memory.current");
    if (used == SIZE_MAX) return limit;
    struct usage usage = read_usage(g, level);
    size_t touched =
        usage.shared == SIZE_MAX ? SIZE_MAX : minus(usage.shared, reserved->others_in_group[level]);
    return minus(minus(limit, minus(used, usage.cache)),
                 armcii_memory_with_tables(minus(reserved->bytes, touched)));
}

size_t armcii_cgroups_memory(const struct cgroups *groups, int levels,
                             const struct reserved *reserved)
{
    size_t bytes = SIZE_MAX;
    for (int i = 0; i < levels && i < groups->levels; i++)
        bytes = least(bytes, memory_at(groups, i, reserved));
    return bytes;
}

size_t armcii_cgroups_processors(const struct cgroups *g, int level)
{
    char name[FILE_ROOM];
    size_t quota = 0, period = 0;
    if (g->version == 2) {
        FILE *f = fopen(file_of(g, level, "cpu.max", name), "r");
        bool has = f && fscanf(f, "%zu %zu", &quota, &period) == 2;
        if (f) fclose(f);
        if (!has) return SIZE_MAX;
    } else {
        quota = group_number(g, level, "cpu.cfs_quota_us");
        period = group_number(g, level, "cpu.cfs_period_us");
        if (quota == SIZE_MAX || period == SIZE_MAX) return SIZE_MAX;
    }
    if (period == 0) return SIZE_MAX;
    return quota < period ? 1 : quota / period;
}

/* ---- memory ---- */

void armcii_memory_read(const char *root, struct memory *memory)
{
    size_t kilobytes;
    char text[CGROUP_PATH];
    *memory = (struct memory){SIZE_MAX, SIZE_MAX};
    snprintf(text, sizeof text, "%s/proc/meminfo", root);
    FILE *file = fopen(text, "r");
    if (!file) return;
    while (fgets(text, sizeof text, file)) {
        if (sscanf(text, "MemAvailable: %zu kB", &kilobytes) == 1)
            memory->available = kilobytes << 10;
        if (sscanf(text, "Shmem: %zu kB", &kilobytes) == 1) memory->shared = kilobytes << 10;
    }
    fclose(file);
}

size_t armcii_memory_left(const char *root, const struct cgroups *groups, int levels,
                          const struct reserved *reserved)
{
    struct memory node;
    armcii_memory_read(root, &node);
    size_t touched = minus(node.shared, reserved->others),
           in_groups = armcii_cgroups_memory(groups, levels, reserved);
    if (node.available == SIZE_MAX) return in_groups;
    return least(minus(node.available, armcii_memory_with_tables(minus(reserved->bytes, touched))),
                 in_groups);
}
