/* suballoc.h - allocator of offsets in [0, size): first fit, adjacent free ranges are merged.  It never accesses the memory, and the same
 * sequence of calls gives the same offsets in every process. */
#ifndef ARMCII_SUBALLOC_H
#define ARMCII_SUBALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct suballoc {
    struct free_range {
        size_t offset, bytes;
    } * free;           /* sorted, no two adjacent */
    size_t count, room; /* of free */
    size_t live;        /* allocations: free has room for live + 1 ranges */
};

enum { SUBALLOC_UNIT = 64 }; /* offsets and sizes are multiples of it */
#define SUBALLOC_NONE SIZE_MAX

/* Start with [0, size) free; size is a multiple of SUBALLOC_UNIT.  false: out of memory. */
bool armcii_suballoc_start(struct suballoc *s, size_t size);
void armcii_suballoc_end(struct suballoc *s);

/* Allocate `bytes` > 0 bytes; SUBALLOC_NONE if no free range is large enough. */
size_t armcii_suballoc_alloc(struct suballoc *s, size_t bytes);
/* Free an allocation; bytes as allocated. */
void armcii_suballoc_free(struct suballoc *s, size_t offset, size_t bytes);

#endif
