/* memory.c - how much memory this node has left. */
#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/statvfs.h>

size_t armcii_memory_available(void)
{
    size_t kilobytes;
    char line[128];
    FILE *file = fopen("/proc/meminfo", "r");
    if (!file) return SIZE_MAX;
    size_t available = SIZE_MAX;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %zu kB", &kilobytes) == 1) available = kilobytes << 10;
    fclose(file);
    return available;
}

size_t armcii_memory_available_to_mpi(void)
{
    struct statvfs status;
    size_t available = armcii_memory_available();
    if (statvfs("/dev/shm", &status) != 0) return available;
    size_t space = (size_t)status.f_bavail * status.f_frsize;
    return space < available ? space : available;
}
