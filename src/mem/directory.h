/* directory.h - what is where: the slices of all regions, found by process and address.
 * Callers see how a region is reachable only through the route in the address that armcii_region_locate resolves. */
#ifndef ARMCII_DIRECTORY_H
#define ARMCII_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/transport.h"

void armcii_directory_start(void);
void armcii_directory_end(void);

/* [base, base + bytes) in `process` (a rank of the world) belongs to region, and is at `mapped` in this process (NULL: nowhere); replaces
 * what is known of those addresses. */
void armcii_directory_add(int process, void *base, size_t bytes, struct region *region, char *mapped);
/* Forget the region's slice there, unless it has been replaced. */
void armcii_directory_remove(int process, void *base, const struct region *region);

/* Counts changes: a raddr found before is good as long as it stays the same. */
extern unsigned armcii_directory_version;

/* Find the slice of `process` that holds address; false, *raddr untouched, when none does. */
bool armcii_region_locate(int process, const void *address, struct raddr *raddr);

/* ---- addr cache ---- */

/* The way of small operations: which memory of other processes loads and stores of this one reach, remembered from the last
 * lookup of each process, so that an operation is a few comparisons and a copy.
 *
 * Only slices of regions without a window are remembered: nothing can be pending there, and accumulates use this node's locks. */

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
