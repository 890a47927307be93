/* memory.c - how much memory this node has left. */
#define _GNU_SOURCE
#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* At least 0. */
static size_t minus(size_t a, size_t b)
{
    return a > b ? a - b : 0;
}

void armcii_memory_read(const char *root, struct memory *memory)
{
    size_t kilobytes;
    char text[CGROUP_PATH];
    *memory = (struct memory){SIZE_MAX, SIZE_MAX};
    snprintf(text, sizeof text, "%s/proc/meminfo", root);
    FILE *file = fopen(text, "r");
    if (!file) return;
    while (fgets(text, sizeof text, file)) {
        if (sscanf(text, "MemAvailable: %zu kB", &kilobytes) == 1) memory->available = kilobytes << 10;
        if (sscanf(text, "Shmem: %zu kB", &kilobytes) == 1) memory->shared = kilobytes << 10;
    }
    fclose(file);
}

size_t armcii_memory_left(const char *root, const struct cgroups *groups, int levels, const struct reserved *reserved)
{
    struct memory node;
    armcii_memory_read(root, &node);
    size_t touched = minus(node.shared, reserved->others), in_groups = armcii_cgroups_memory(groups, levels, reserved);
    if (node.available == SIZE_MAX) return in_groups;
    return least(minus(node.available, armcii_memory_with_tables(minus(reserved->bytes, touched))), in_groups);
}

size_t armcii_memory_available(void)
{
    struct cgroups groups;
    armcii_cgroups_read("", CGROUP_MEMORY, &groups);
    return armcii_memory_left("", &groups, groups.levels, &(struct reserved){0});
}

size_t armcii_memory_of_files(void)
{
    struct statvfs status;
    return statvfs("/dev/shm", &status) == 0 ? (size_t)status.f_bavail * status.f_frsize : SIZE_MAX;
}

size_t armcii_memory_available_to_mpi(void)
{
    return least(armcii_memory_of_files(), armcii_memory_available());
}

size_t armcii_memory_touched(void *memory, size_t bytes)
{
    enum { STRIDE = 64 };
    size_t page = (size_t)sysconf(_SC_PAGESIZE), touched = 0;
    char *begin = (char *)memory - (uintptr_t)memory % page, *end = (char *)memory + bytes;
    for (char *at = begin; at < end; at += STRIDE * page) {
        unsigned char in_memory = 0;
        size_t stands_for = least(STRIDE * page, (size_t)(end - at));
        if (mincore(at, page, &in_memory) == 0 && (in_memory & 1)) touched += stands_for;
    }
    return least(touched, bytes);
}
