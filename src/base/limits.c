/* limits.c - what the system allows this process. */
#define _GNU_SOURCE
#include "base/limits.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/processors.h"

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

/* By the mask of this process and the quotas of its control groups. */
static size_t processors_allowed(void)
{
    size_t words;
    struct cgroups groups;
    uint64_t *mask = armcii_processors_mask(&words);
    size_t least = armcii_processors_count(mask, words);
    free(mask);
    armcii_cgroups_read("", CGROUP_CPU, &groups);
    for (int level = 0; level < groups.levels; level++) {
        size_t quota = armcii_cgroups_processors(&groups, level);
        if (quota < least) least = quota;
    }
    return least;
}

void armcii_limits_read(struct limits *limits)
{
    *limits = (struct limits){
        .memory = armcii_memory_available(),
        .memory_to_mpi = armcii_memory_available_to_mpi(),
        .file = limit_of(RLIMIT_FSIZE),
        .locked = limit_of(RLIMIT_MEMLOCK),
        .descriptors = limit_of(RLIMIT_NOFILE),
        .descriptors_used = open_descriptors(),
        .mappings = number_in("/proc/sys/vm/max_map_count"),
        .mappings_used = count_mappings(),
        .processors = processors_allowed(),
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
