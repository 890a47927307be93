/* addr_cache.c - remembering what loads and stores reach. */
#include "mem/addr_cache.h"

#include <stdbool.h>

#include "base/fault.h"

struct addr_cache_entry armcii_addr_cache[ADDR_CACHE_ENTRIES];
static bool is_off;

void armcii_addr_cache_insert(int process, const char *lo, size_t bytes, const char *mapped)
{
    if (is_off) return;
    armcii_addr_cache[(unsigned)process % ADDR_CACHE_ENTRIES] = (struct addr_cache_entry){process, (uintptr_t)lo, bytes, mapped - lo};
}

void armcii_addr_cache_invalidate(int process)
{
    struct addr_cache_entry *r = &armcii_addr_cache[(unsigned)process % ADDR_CACHE_ENTRIES];
    if (armcii_fault("stale-last-hit")) return;
    if (r->process == process) *r = (struct addr_cache_entry){.process = -1};
}

void armcii_addr_cache_clear(void)
{
    for (int i = 0; i < ADDR_CACHE_ENTRIES; i++) armcii_addr_cache[i] = (struct addr_cache_entry){.process = -1};
}

void armcii_addr_cache_enable(bool on)
{
    is_off = !on;
    armcii_addr_cache_clear();
}
