/* system.c - limits of the process, control groups, memory and processors. */
#define _GNU_SOURCE
#include "base/system.h"

#include <dirent.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <sys/stat.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <sched.h>

#include "base/log.h"

enum { PATH_ROOM = 4096, FILE_ROOM = 3 * CGROUP_PATH };

/* The number in a file; SIZE_MAX if it has none ("max", "-1"). */
static size_t number_in(const char *path)
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

/* What getrlimit returned. */
static size_t limit_of(int status, const struct rlimit *limit)
{
    if (status != 0 || limit->rlim_cur == RLIM_INFINITY || limit->rlim_cur > SIZE_MAX)
        return SIZE_MAX;
    return (size_t)limit->rlim_cur;
}

/* Excludes the descriptor of the folder itself. */
static size_t open_descriptors(void)
{
    size_t n = 0;
    const struct dirent *entry;
    DIR *folder = opendir("/proc/self/fd");
    if (!folder) return SIZE_MAX;
    while ((entry = readdir(folder)))
        n += entry->d_name[0] != '.';
    closedir(folder);
    return n - 1;
}

static size_t count_mappings(void)
{
    int c;
    size_t n = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    if (!f) return SIZE_MAX;
    while ((c = getc(f)) != EOF)
        n += c == '\n';
    fclose(f);
    return n;
}

/* The affinity mask and the quotas of all control groups bound it. */
static size_t processors_allowed(void)
{
    size_t words;
    struct cgroups groups;
    uint64_t *mask = armcii_processors_mask(&words);
    size_t count = armcii_processors_count(mask, words);
    free(mask);
    armcii_cgroups_read("", CGROUP_CPU, &groups);
    return least(count, armcii_processors_quota(&groups, NULL, 0));
}

static size_t memory_available(void)
{
    struct cgroups groups;
    armcii_cgroups_read("", CGROUP_MEMORY, &groups);
    return armcii_memory_left("", &groups, groups.levels, &(struct reserved){0});
}

void armcii_system_limits(struct limits *limits)
{
    size_t memory = memory_available();
    struct rlimit file, locked, descriptors;
    *limits = (struct limits){
        .memory = memory,
        .file = limit_of(getrlimit(RLIMIT_FSIZE, &file), &file),
        .locked = limit_of(getrlimit(RLIMIT_MEMLOCK, &locked), &locked),
        .descriptors = limit_of(getrlimit(RLIMIT_NOFILE, &descriptors), &descriptors),
        .descriptors_used = open_descriptors(),
        .mappings = number_in("/proc/sys/vm/max_map_count"),
        .mappings_used = count_mappings(),
        .processors = processors_allowed(),
    };
}

/* Writes the file mapped at an address to path[PATH_ROOM]; false if there is none. */
static bool file_at(uintptr_t address, char *path)
{
    char line[PATH_ROOM + 128];
    bool found = false;
    FILE *f = fopen("/proc/self/maps", "r");
    if (!f) return false;
    while (!found && fgets(line, sizeof line, f)) {
        uintmax_t from, to;
        const char *slash = strchr(line, '/');
        if (!slash || sscanf(line, "%jx-%jx", &from, &to) != 2 || address < from || address >= to)
            continue;
        snprintf(path, PATH_ROOM, "%.*s", (int)strcspn(slash, "\n"), slash);
        found = true;
    }
    fclose(f);
    return found;
}

const char *armcii_system_library_file(char *buffer, size_t size, int *is_program)
{
    char path[PATH_ROOM], program[PATH_ROOM];
    buffer[0] = '\0';
    if (!file_at((uintptr_t)&armcii_system_library_file, path)) return buffer;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    *is_program = strcmp(path, program) == 0;
    snprintf(buffer, size, "%s", path);
    return buffer;
}

const char *armcii_system_format_bytes(size_t bytes, char *buffer, size_t size)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    double value = (double)bytes;
    while (value >= 1024 && unit + 1 < sizeof units / sizeof units[0]) {
        value /= 1024;
        unit++;
    }
    if (bytes == SIZE_MAX)
        snprintf(buffer, size, "no limit");
    else
        snprintf(buffer, size, "%.*f %s", unit > 0 && value < 100, value, units[unit]);
    return buffer;
}

const char *armcii_system_format_count(size_t count, char *buffer, size_t size)
{
    if (count == SIZE_MAX)
        snprintf(buffer, size, "no limit");
    else
        snprintf(buffer, size, "%zu", count);
    return buffer;
}

const char *armcii_system_format_use(size_t used, size_t limit, char *buffer, size_t size)
{
    if (used == SIZE_MAX) return armcii_system_format_count(limit, buffer, size);
    if (limit == SIZE_MAX)
        snprintf(buffer, size, "%zu, no limit", used);
    else
        snprintf(buffer, size, "%zu of %zu", used, limit);
    return buffer;
}

/* ---- control groups ---- */

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

/* Parses a line "number:controllers:path", which is overwritten.  If it is about the controller,
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

/* The innermost group of this process.  A system may have both versions: a controller of version 1
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
    return number_in(file_of(g, level, file, name));
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

/* ---- processors ---- */

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

/* ---- shared objects ---- */

static int name_contains(struct dl_phdr_info *object, size_t bytes, void *name)
{
    (void)bytes;
    return strstr(object->dlpi_name, name) != NULL;
}

bool armcii_object_is_loaded(const char *name)
{
    return dl_iterate_phdr(name_contains, (void *)(uintptr_t)name) != 0;
}

struct search {
    const char *name, **paths;
    int n, most;
};

static int note_object(struct dl_phdr_info *object, size_t bytes, void *search)
{
    struct search *s = search;
    const char *slash = strrchr(object->dlpi_name, '/');
    (void)bytes;
    if (slash && s->n < s->most && strstr(slash, s->name)) s->paths[s->n++] = object->dlpi_name;
    return 0;
}

int armcii_objects_with(const char *name, const char *paths[], int most)
{
    struct search s = {name, paths, 0, most};
    dl_iterate_phdr(note_object, &s);
    return s.n;
}
