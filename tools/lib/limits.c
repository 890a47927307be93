/* limits.c - what the system allows this process. */
#include "limits.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>

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

struct limits read_limits(void)
{
    struct rlimit file, locked, descriptors;
    return (struct limits){
        .file = limit_of(getrlimit(RLIMIT_FSIZE, &file), &file),
        .locked = limit_of(getrlimit(RLIMIT_MEMLOCK, &locked), &locked),
        .descriptors = limit_of(getrlimit(RLIMIT_NOFILE, &descriptors), &descriptors),
        .descriptors_used = open_descriptors(),
        .mappings = most_mappings(),
        .mappings_used = count_mappings(),
    };
}
