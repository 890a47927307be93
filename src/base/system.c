/* system.c - limits of the process, and the files it has loaded. */
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

enum { PATH_ROOM = 4096 };

/* What getrlimit returned. */
static size_t limit_of(int status, const struct rlimit *limit)
{
    if (status != 0 || limit->rlim_cur == RLIM_INFINITY || limit->rlim_cur > SIZE_MAX)
        return SIZE_MAX;
    return (size_t)limit->rlim_cur;
}

static size_t most_mappings(void)
{
    size_t n = SIZE_MAX;
    FILE *f = fopen("/proc/sys/vm/max_map_count", "r");
    if (f && fscanf(f, "%zu", &n) != 1) n = SIZE_MAX;
    if (f) fclose(f);
    return n;
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

void armcii_system_limits(struct limits *limits)
{
    struct rlimit file, locked, descriptors;
    *limits = (struct limits){
        .file = limit_of(getrlimit(RLIMIT_FSIZE, &file), &file),
        .locked = limit_of(getrlimit(RLIMIT_MEMLOCK, &locked), &locked),
        .descriptors = limit_of(getrlimit(RLIMIT_NOFILE, &descriptors), &descriptors),
        .descriptors_used = open_descriptors(),
        .mappings = most_mappings(),
        .mappings_used = count_mappings(),
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
