/* lookup.h - the slice of a region that holds an address of a process: an index of all slices, and
 * before it a cache of each thread.
 *
 * Functions are called under the global lock, except where they say otherwise. Callers see the
 * transports of a region only through the route in the address that armcii_lookup resolves. */
#ifndef ARMCII_LOOKUP_H
#define ARMCII_LOOKUP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/transport.h"

/* The end releases the cache of the calling thread only; those of others end with their threads. */
void armcii_lookup_start(void);
void armcii_lookup_end(void);

/* [base, base + bytes) in `process` (a rank of the world) belongs to region; is_mapped: this
 * process has that memory at the same addresses. Replaces older entries of these addresses. */
void armcii_lookup_add(int process, void *base, size_t bytes, struct region *region,
                       bool is_mapped);
/* Remove the region's slice that begins at base, unless it was replaced. */
void armcii_lookup_remove(int process, void *base, const struct region *region);

/* Add or remove all slices of a region in the heap, which have the same offset in all processes. */
void armcii_lookup_add_offset(struct region *region);
void armcii_lookup_remove_offset(const struct region *region);

/* Find the slice of `process` that holds address; false, with *raddr unchanged, if none does. */
bool armcii_lookup(int process, const void *address, struct raddr *raddr);

/* The number of changes of the index, and of what may be done directly: what was looked up is valid
 * while it is unchanged. Only increases. */
extern atomic_uint_fast64_t armcii_lookup_generation;
void armcii_lookup_invalidate(void);

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

/* ---- cache of the calling thread ----
 *
 * Only slices of regions that refuse no operation (armcii_region_refuses): a hit needs no check.
 * The slice of the last lookup of each process, so that an operation takes a few comparisons and a
 * copy; behind it, for programs that use many regions in turn, the slices of recent lookups by
 * page. A thread reads and fills its own cache only, so a hit needs no lock. */

struct slice {
    uint64_t generation; /* of the lookup; 0: none */
    char *direct_end;    /* raddr.hi if the slice may be accessed directly; NULL: operations may be
                            pending there, or it is not mapped */
    int process;
    int direct_process; /* process, or -1 with direct_end NULL: a miss takes one comparison, and a
                           program that passes -1 meets the NULL */
    struct raddr raddr;
};

enum { LAST_SLICES = 64 };
/* The last slice of a process with this remainder. */
extern _Thread_local const struct slice *armcii_last_slices
    __attribute__((tls_model("initial-exec")));

/* True if [address, address + bytes) of `process` is in that slice and may be accessed directly. A
 * negative number of bytes, converted to size_t, never is. Addresses compare as signed numbers,
 * which the upper half of the address space, in no slice, does not wrap. */
static inline bool armcii_slice_is_direct(const struct slice *s, int process, const void *address,
                                          size_t bytes)
{
    const uint64_t now = atomic_load_explicit(&armcii_lookup_generation, memory_order_relaxed);
    return __builtin_expect(s->direct_process == process && s->generation == now &&
                                (intptr_t)address >= (intptr_t)s->raddr.lo &&
                                (ptrdiff_t)bytes >= 0 &&
                                (intptr_t)s->direct_end - (intptr_t)address >= (ptrdiff_t)bytes,
                            1);
}

/* armcii_slice_is_direct for the last slice of that process; needs no lock. */
static inline bool armcii_last_is_direct(int process, const void *address, size_t bytes)
{
    return armcii_slice_is_direct(&armcii_last_slices[(unsigned)process % LAST_SLICES], process,
                                  address, bytes);
}

/* True if the slice holds [address, address + bytes). */
static inline bool armcii_slice_holds(const struct raddr *slice, const void *address, size_t bytes)
{
    return (const char *)address >= slice->lo && (const char *)address < slice->hi &&
           bytes <= (size_t)(slice->hi - (const char *)address);
}

/* What was looked up of the process, if it is still valid and holds [address, address + bytes);
 * else NULL. */
static inline const struct raddr *armcii_slice_check(const struct slice *s, int process,
                                                     const void *address, size_t bytes)
{
    const uint64_t now = atomic_load_explicit(&armcii_lookup_generation, memory_order_relaxed);
    return s->process == process && s->generation == now &&
                   armcii_slice_holds(&s->raddr, address, bytes)
               ? &s->raddr
               : NULL;
}

/* The last slice looked up of that process if it holds [address, address + bytes); NULL: use
 * armcii_lookup. */
static inline const struct raddr *armcii_lookup_last(int process, const void *address, size_t bytes)
{
    return armcii_slice_check(&armcii_last_slices[(unsigned)process % LAST_SLICES], process,
                              address, bytes);
}

/* armcii_slice_is_direct for the last slice looked up in that page; needs no lock. */
bool armcii_page_is_direct(int process, const void *address, size_t bytes);

/* True if either of the two holds it and may be accessed directly; needs no lock. */
static inline bool armcii_is_direct(int process, const void *address, size_t bytes)
{
    return armcii_last_is_direct(process, address, bytes) ||
           armcii_page_is_direct(process, address, bytes);
}

#endif
