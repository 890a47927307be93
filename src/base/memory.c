/* memory.c - how much memory this node has left. */
#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>

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
