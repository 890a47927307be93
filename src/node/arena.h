/* arena.h - one shared memory segment for the regions of a whole job.
 *
 * Each node has an anonymous file, sparse: pages exist once they are touched. Every process
 * maps its node's file at the same address, so that an address in the
 * arena means the same memory in its owner, in the neighbours and in the server, and a region needs
 * no table of addresses. The slice of a process lies at the region's offset + its rank on the node
 * times the region's stride.
 *
 * Small regions lie in slots, one for each process of the node, whose bytes are the stride. Teams
 * take units of all members' slots; freed memory is kept for later regions. Large regions lie in
 * the zone, whose units teams take on all nodes of their members: there the stride is the largest
 * slice, and freed memory goes back to the system. */
#ifndef ARMCII_ARENA_H
#define ARMCII_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi/team.h"
#include "mpi/world.h"

/* Offsets below armcii_arena->zone are in the zone, others in the slots. */
enum arena_area { ARENA_SLOTS, ARENA_ZONE, ARENA_AREAS };

struct arena {
    char *base;  /* of the zone; the slots follow it */
    size_t zone; /* bytes */
    size_t slot; /* bytes of each slot; 0: there is no arena */
};
extern const struct arena *const armcii_arena;

/* Collective over the world, after armcii_node_start. Without shared memory
 * by memfd, or where no range of addresses is free in all processes, there is no arena. */
void armcii_arena_start(void);
void armcii_arena_end(void);

/* The address of a process's part of what lies at that offset with that stride. */
static inline char *armcii_arena_address(int process, size_t offset, size_t stride)
{
    return armcii_arena->base + offset + (size_t)armcii_world->local_rank_of[process] * stride;
}

/* The offset of an address in the zone or in the slot of a process; SIZE_MAX if it lies elsewhere.
 */
static inline size_t armcii_arena_offset(int process, const void *address)
{
    const struct arena *a = armcii_arena;
    size_t at = (uintptr_t)address - (uintptr_t)a->base,
           in_slot = at - a->zone - (size_t)armcii_world->local_rank_of[process] * a->slot;
    if (at < a->zone) return at;
    return in_slot < a->slot ? a->zone + in_slot : SIZE_MAX;
}

/* Bytes of a unit. */
size_t armcii_arena_unit(enum arena_area area);
/* Collective over the team: units that are free in the slots of all members, or in the zones of
 * their nodes. Their offset; SIZE_MAX if there are not as many in a row. */
size_t armcii_arena_acquire(struct team *team, enum arena_area area, size_t units);
/* By each member for slots, by the first on each node for the zone; not collective. No member
 * accesses them any more. */
void armcii_arena_release(enum arena_area area, size_t offset, size_t units);

/* By each member: a range of the zone, of whole huge pages, that no member accesses any more. Its
 * memory goes back to the system, and its content is lost. A network adapter may have registered
 * the pages for any process that maps them: the members tell their MPI libraries here, and other
 * processes, which may be servers, in armcii_arena_renew. */
void armcii_arena_drop(struct team *team, size_t offset, size_t bytes);
/* Tell the MPI library what has been freed in the node's zone since the last call. Any thread. */
void armcii_arena_renew(void);

/* Memory for the caller alone, at least `bytes` bytes of the zone, until the end of the arena;
 * NULL: there is no room. Other processes of the node find it by its address. */
char *armcii_arena_take(size_t bytes);
/* What a process of the node has taken so, and that holds the address; false: nothing. */
bool armcii_arena_find(int process, const void *address, char **memory, size_t *bytes);

/* True if teams, or the process alone, have all units of [memory, memory + bytes), which is in the
 * zone or in the slot of that process of the caller's node; bytes > 0. Constant for what lies in
 * one unit. Finer than units only for memory that a process took alone: which bytes of its units a
 * team uses no other process knows. */
bool armcii_arena_is_used(int process, const void *memory, size_t bytes);

/* Of the caller's slot: the pages of [offset, offset + bytes) that no memory is reserved for
 * (node.h), in bytes. Once touched, a page stays reserved. */
size_t armcii_arena_unreserved(size_t offset, size_t bytes);
void armcii_arena_set_reserved(size_t offset, size_t bytes);
/* Release the reservation of whole pages that nobody has touched; offset is a multiple of the page
 * size. */
void armcii_arena_drop_untouched(size_t offset, size_t bytes);
/* Bytes of the node's arena that are backed by memory. */
size_t armcii_arena_touched(void);

#endif
