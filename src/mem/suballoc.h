/* suballoc.h - parts of one range of bytes [0, size), given out and taken back: first fit from the lowest offset, neighbours that are free
 * become one.  It works with offsets alone and never touches the memory itself, which may be shared, mapped server_map or not there yet;
 * the same sequence of calls gives the same offsets in every process. */
#ifndef ARMCII_SUBALLOC_H
#define ARMCII_SUBALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct suballoc {
    struct free_range {
        size_t offset, bytes;
    } * free;           /* ascending, no two of them adjacent */
    size_t count, room; /* of free */
    size_t live;        /* parts given out: room is for one free range more than these */
};

enum { SUBALLOC_UNIT = 64 }; /* offsets and sizes are multiples of it */
#define SUBALLOC_NONE SIZE_MAX

/* All of [0, size) is free; size is a multiple of the unit.  false: out of memory. */
bool armcii_suballoc_start(struct suballoc *s, size_t size);
void armcii_suballoc_end(struct suballoc *s);

/* The offset of `bytes` > 0 bytes; SUBALLOC_NONE where there are not so many in one piece. */
size_t armcii_suballoc_take(struct suballoc *s, size_t bytes);
/* Take them back: offset and bytes as they were given out. */
void armcii_suballoc_give(struct suballoc *s, size_t offset, size_t bytes);

#endif
