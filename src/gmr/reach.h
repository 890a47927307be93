/* reach.h - the way of small operations: which memory of other processes loads and stores of this one reach, remembered from the last
 * lookup of each process, so that an operation is a few comparisons and a copy.
 *
 * Only slices of regions without a window are remembered: nothing can be pending there, and accumulates use this host's locks. */
#ifndef ARMCII_REACH_H
#define ARMCII_REACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reach {
    int process; /* -1: nothing remembered */
    uintptr_t lo;
    size_t bytes;
    ptrdiff_t delta; /* from the process's addresses to this process's */
};

enum { REACHES = 64 };
extern struct reach armcii_reaches[REACHES];

/* Where [address, address + bytes) of a process is in this one; NULL when that is not remembered: it may be within reach all the same.
 * Negative numbers of bytes, converted to size_t, are never within reach. */
static inline char *armcii_reach(int process, const void *address, size_t bytes)
{
    const struct reach *r = &armcii_reaches[(unsigned)process % REACHES];
    size_t at = (uintptr_t)address - r->lo;
    if (r->process != process || at >= r->bytes || bytes > r->bytes - at) return NULL;
    return (char *)((uintptr_t)address + (uintptr_t)r->delta);
}

/* [lo, lo + bytes) of the process is at `mapped` here. */
void armcii_reach_remember(int process, const char *lo, size_t bytes, const char *mapped);
void armcii_reach_forget(int process);
void armcii_reach_forget_all(void);
/* Off: nothing is remembered, so every operation goes through the engine; what is remembered is forgotten. */
void armcii_reach_switch(bool on);

#endif
