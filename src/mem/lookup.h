/* lookup.h - the slices of all regions, found by process and address.
 * Callers see the transports of a region only through the route in the address that
 * armcii_lookup resolves. Called under the global lock. */
#ifndef ARMCII_LOOKUP_H
#define ARMCII_LOOKUP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/transport.h"

void armcii_lookup_start(void);
void armcii_lookup_end(void);

/* [base, base + bytes) in `process` (a rank of the world) belongs to region; is_mapped: this
 * process has that memory at the same addresses. Replaces older entries of these addresses. */
void armcii_lookup_add(int process, void *base, size_t bytes, struct region *region,
                       bool is_mapped);
/* Remove the region's slice that begins at base, unless it was replaced. */
void armcii_lookup_remove(int process, void *base, const struct region *region);

/* The same for a region in the arena, whose slices have the same offset in all processes. */
void armcii_lookup_add_offset(struct region *region);
void armcii_lookup_remove_offset(const struct region *region);

/* Number of changes: a raddr stays valid while this number is unchanged. */
extern atomic_uint armcii_lookup_version;

/* Find the slice of `process` that holds address; false, with *raddr unchanged, if none does. */
bool armcii_lookup(int process, const void *address, struct raddr *raddr);

/* The same; where no slice holds all of [address, address + bytes), memget.c is asked, which may
 * change *raddr: `found` is what armcii_lookup has said. */
bool armcii_resolve(int process, const void *address, size_t bytes, struct raddr *raddr);
typedef bool last_try(int process, const void *address, size_t bytes, bool found,
                      struct raddr *raddr);
void armcii_lookup_set_last_try(last_try *ask);

/* ---- index: disjoint intervals of each process, sorted by address ---- */

struct index;

/* [lo, hi) in one process belongs to region. */
struct interval {
    uintptr_t lo, hi;
    struct region *region;
    bool is_mapped; /* in this process, at the same addresses */
};

/* An empty index over `processes` processes; NULL if memory runs out. */
struct index *armcii_index_create(int processes);
void armcii_index_free(struct index *index);

/* Add an interval that is not empty and overlaps no other; false if memory runs out. */
bool armcii_index_insert(struct index *index, int process, struct interval interval);
/* Remove all intervals that overlap [lo, hi). */
void armcii_index_remove(struct index *index, int process, uintptr_t lo, uintptr_t hi);
/* The interval that holds `address`; NULL if none does. Valid until the next insert or remove. */
const struct interval *armcii_index_find(struct index *index, int process, uintptr_t address);

/* ---- address cache ---- */

/* Fast path: the slice of the last lookup of each process, so that an operation takes a few
 * comparisons and a copy; behind it, for programs that use many regions in turn, the slices of
 * recent lookups by page. Only slices of regions with a direct route are cached: nothing can be
 * pending there, and accumulates use this node's locks.
 *
 * The first thread that calls ARMCI_Init owns a cache that it reads without the global lock: the
 * thread inserts entries itself, and the others only invalidate them, each by one atomic store.
 * All other threads share a second cache, by page, under the lock. */

struct addr_cache_entry {
    atomic_int process;
    unsigned version; /* of the index; by page only: entries of others are stale */
    uintptr_t lo;
    size_t bytes;
};

enum { ADDR_CACHE_ENTRIES = 64 };
/* The last slices of the owner; in other threads an empty table. */
extern _Thread_local const struct addr_cache_entry *armcii_addr_cache
    __attribute__((tls_model("initial-exec")));

/* The calling thread becomes the owner, unless there is one. */
void armcii_addr_cache_own(void);

/* The address, if [address, address + bytes) of `process` is in the entry's slice, else NULL. A
 * negative number of bytes, converted to size_t, is never found. */
static inline char *armcii_addr_cache_in(const struct addr_cache_entry *e, int process,
                                         const void *address, size_t bytes)
{
    size_t at = (uintptr_t)address - e->lo;
    if (atomic_load_explicit(&e->process, memory_order_relaxed) != process || at >= e->bytes ||
        bytes > e->bytes - at)
        return NULL;
    return (char *)(uintptr_t)address;
}

/* In the last slice of that process that the owner used; needs no lock. */
static inline char *armcii_addr_cache_lookup_last(int process, const void *address, size_t bytes)
{
    return armcii_addr_cache_in(&armcii_addr_cache[(unsigned)process % ADDR_CACHE_ENTRIES], process,
                                address, bytes);
}

/* Among the recent slices: of the owner, without the lock (NULL in other threads), or of the
 * others, with the lock (NULL in the owner). */
char *armcii_addr_cache_lookup_own(int process, const void *address, size_t bytes);
char *armcii_addr_cache_lookup_shared(int process, const void *address, size_t bytes);

/* The same in any thread, with the lock. */
char *armcii_addr_cache_lookup_page(int process, const void *address, size_t bytes);
static inline char *armcii_addr_cache_lookup(int process, const void *address, size_t bytes)
{
    char *there = armcii_addr_cache_lookup_last(process, address, bytes);
    return there ? there : armcii_addr_cache_lookup_page(process, address, bytes);
}

/* The slice [lo, lo + bytes) of the process, which holds address. */
void armcii_addr_cache_insert(int process, const void *address, const char *lo, size_t bytes);
/* The same for a slice that was located, if its route is direct. */
void armcii_addr_cache_enter(int process, const void *address, const struct raddr *raddr);
/* Both begin a new version of the lookup. */
void armcii_addr_cache_invalidate(int process);
void armcii_addr_cache_clear(void);

#endif
