/* limits.c - what /proc, the control groups and the limits of the process say. */
#define _GNU_SOURCE
#include "base/limits.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/memory.h"

enum { PATH_ROOM = 4096 };

/* The number that a file holds; SIZE_MAX where there is none ("max"). */
static size_t number_in(const char *path)
{
    size_t number;
    FILE *f = fopen(path, "r");
    if (!f) return SIZE_MAX;
    if (fscanf(f, "%zu", &number) != 1) number = SIZE_MAX;
    fclose(f);
    return number;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The least that `file` says in the folder `group` under `root` and in all above it: each bounds those within. */
static size_t least_on_the_way(const char *root, char *group, const char *file)
{
    char path[2 * PATH_ROOM];
    size_t bytes = SIZE_MAX;
    for (char *slash = group + strlen(group); slash; slash = strrchr(group, '/')) {
        *slash = '\0';
        snprintf(path, sizeof path, "%s%s/%s", root, group, file);
        bytes = least(bytes, number_in(path));
    }
    return bytes;
}

/* What the control groups of this process, version 1 or 2, allow it and its like together. */
static size_t allowed_by_groups(void)
{
    static const struct {
        const char *sign, *root, *file;
    } versions[] = {{":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes"}, {"0::", "/sys/fs/cgroup", "memory.max"}};
    char line[PATH_ROOM];
    size_t bytes = SIZE_MAX;
    FILE *f = fopen("/proc/self/cgroup", "r");
    if (!f) return SIZE_MAX;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
            char *sign = strstr(line, versions[i].sign);
            if (sign) bytes = least(bytes, least_on_the_way(versions[i].root, sign + strlen(versions[i].sign), versions[i].file));
        }
    }
    fclose(f);
    return bytes;
}

static size_t limit_of(int resource)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > SIZE_MAX) return SIZE_MAX;
    return (size_t)limit.rlim_cur;
}

/* Entries of the folder, without the descriptor that looks. */
static size_t open_descriptors(void)
{
    size_t n = 0;
    const struct dirent *entry;
    DIR *folder = opendir("/proc/self/fd");
    if (!folder) return SIZE_MAX;
    while ((entry = readdir(folder))) n += entry->d_name[0] != '.';
    closedir(folder);
    return n - 1;
}

static size_t count_mappings(void)
{
    int c;
    size_t n = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    if (!f) return SIZE_MAX;
    while ((c = getc(f)) != EOF) n += c == '\n';
    fclose(f);
    return n;
}

void armcii_limits_read(struct limits *limits)
{
    size_t allowed = allowed_by_groups();
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    *limits = (struct limits){
        .memory = least(armcii_memory_available(), allowed),
        .memory_to_mpi = least(armcii_memory_available_to_mpi(), allowed),
        .file = limit_of(RLIMIT_FSIZE),
        .locked = limit_of(RLIMIT_MEMLOCK),
        .descriptors = limit_of(RLIMIT_NOFILE),
        .descriptors_used = open_descriptors(),
        .mappings = number_in("/proc/sys/vm/max_map_count"),
        .mappings_used = count_mappings(),
        .processors = processors > 0 ? (size_t)processors : SIZE_MAX,
    };
}

/* The file of the mapping that holds an address, into path[PATH_ROOM]; false where there is none. */
static bool file_at(uintptr_t address, char *path)
{
    char line[PATH_ROOM + 128];
    bool found = false;
    FILE *f = fopen("/proc/self/maps", "r");
    if (!f) return false;
    while (!found && fgets(line, sizeof line, f)) {
        uintmax_t from, to;
        const char *slash = strchr(line, '/');
        if (!slash || sscanf(line, "%jx-%jx", &from, &to) != 2 || address < from || address >= to) continue;
        snprintf(path, PATH_ROOM, "%.*s", (int)strcspn(slash, "\n"), slash);
        found = true;
    }
    fclose(f);
    return found;
}

const char *armcii_limits_origin(char *buffer, size_t size, int *is_program)
{
    char path[PATH_ROOM], program[PATH_ROOM];
    buffer[0] = '\0';
    if (!file_at((uintptr_t)&armcii_limits_origin, path)) return buffer;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    *is_program = strcmp(path, program) == 0;
    snprintf(buffer, size, "%s", path);
    return buffer;
}

const char *armcii_limits_bytes(size_t bytes, char *buffer, size_t size)
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

const char *armcii_limits_count(size_t count, char *buffer, size_t size)
{
    if (count == SIZE_MAX)
        snprintf(buffer, size, "no limit");
    else
        snprintf(buffer, size, "%zu", count);
    return buffer;
}

const char *armcii_limits_use(size_t used, size_t limit, char *buffer, size_t size)
{
    if (used == SIZE_MAX) return armcii_limits_count(limit, buffer, size);
    if (limit == SIZE_MAX)
        snprintf(buffer, size, "%zu, no limit", used);
    else
        snprintf(buffer, size, "%zu of %zu", used, limit);
    return buffer;
}
