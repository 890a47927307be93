/* system.c - descriptors, the files that this process has loaded, and sizes as text. */
#define _GNU_SOURCE
#include "base/system.h"

#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 };

int armcii_system_descriptor(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO) return fd;
    const int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(fd);
    return moved;
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
