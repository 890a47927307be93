/* addr_cache.h - the way of small operations: which memory of other processes loads and stores of this one reach, remembered from the last
 * lookup of each process, so that an operation is a few comparisons and a copy.
 *
 * Only slices of regions without a window are remembered: nothing can be pending there, and accumulates use this node's locks. */
#ifndef ARMCII_ADDR_CACHE_H
#define ARMCII_ADDR_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct addr_cache_entry {
    int process; /* -1: nothing remembered */
    uintptr_t lo;
    size_t bytes;
    ptrdiff_t delta; /* from the process's addresses to this process's */
};

enum { ADDR_CACHE_ENTRIES = 64 };
extern struct addr_cache_entry armcii_addr_cache[ADDR_CACHE_ENTRIES];

/* Where [address, address + bytes) of a process is in this one; NULL when that is not remembered: it may be within reach all the same.
 * Negative numbers of bytes, converted to size_t, are never within reach. */
static inline char *armcii_addr_cache_lookup(int process, const void *address, size_t bytes)
{
    const struct addr_cache_entry *r = &armcii_addr_cache[(unsigned)process % ADDR_CACHE_ENTRIES];
    size_t at = (uintptr_t)address - r->lo;
    if (r->process != process || at >= r->bytes || bytes > r->bytes - at) return NULL;
    return (char *)((uintptr_t)address + (uintptr_t)r->delta);
}

/* [lo, lo + bytes) of the process is at `mapped` here. */
void armcii_addr_cache_insert(int process, const char *lo, size_t bytes, const char *mapped);
void armcii_addr_cache_invalidate(int process);
void armcii_addr_cache_clear(void);
/* Off: nothing is remembered, so every operation goes through the engine; what is remembered is forgotten. */
void armcii_addr_cache_enable(bool on);

#endif
