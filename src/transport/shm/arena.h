/* arena.h - one shared memory segment for the small regions of a whole job.
 *
 * Each node has an anonymous file with a slot for each of its processes, sparse: pages exist once
 * they are touched.  Every process, progress ranks included, maps its node's file at the same
 * address, so that an address in the arena means the same memory in its owner, in the neighbours
 * and in the server.  A region in the arena has one offset, the same in the slots of all members,
 * and needs no table of addresses.
 *
 * Teams take units of all members' slots.  Units are never unmapped: freed memory is kept for later
 * regions. */
#ifndef ARMCII_ARENA_H
#define ARMCII_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi/team.h"
#include "mpi/world.h"

enum { ARENA_UNIT = 4 << 20 }; /* bytes */

struct arena {
    char *base;
    size_t slot; /* bytes of each slot, a multiple of ARENA_UNIT; 0: there is no arena */
};
extern const struct arena *const armcii_arena;

/* Collective over the world and the progress ranks, after armcii_node_start.  Without shared memory
 * by memfd, or where no range of addresses is free in all processes, there is no arena. */
void armcii_arena_start(void);
void armcii_arena_end(void);

/* The address of an offset in the slot of a process. */
static inline char *armcii_arena_address(int process, size_t offset)
{
    return armcii_arena->base + (size_t)armcii_world->local_rank_of[process] * armcii_arena->slot +
           offset;
}

/* The offset of an address in the slot of a process; at least armcii_arena->slot if it lies
 * elsewhere. */
static inline size_t armcii_arena_offset(int process, const void *address)
{
    return (uintptr_t)address - (uintptr_t)armcii_arena_address(process, 0);
}

/* Collective over the team: units that are free in the slots of all members.  Their offset;
 * SIZE_MAX if there are not as many in a row. */
size_t armcii_arena_acquire(const struct team *team, size_t units);
/* Not collective.  No member accesses them any more. */
void armcii_arena_release(size_t offset, size_t units);

/* Of the caller's slot: the pages of [offset, offset + bytes) that no memory is reserved for
 * (node.h), in bytes.  Once touched, a page stays reserved. */
size_t armcii_arena_unreserved(size_t offset, size_t bytes);
void armcii_arena_set_reserved(size_t offset, size_t bytes);
/* Release the reservation of whole pages that nobody has touched; offset is a multiple of the page
 * size. */
void armcii_arena_drop_untouched(size_t offset, size_t bytes);
/* Bytes of the node's arena that are backed by memory. */
size_t armcii_arena_touched(void);

#endif
