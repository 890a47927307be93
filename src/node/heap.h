/* heap.h - the heap of a node: memory that its processes share.
 *
 * It is an anonymous file, sparse: pages exist once they are touched. Every process maps its node's
 * file at the same address, so that an address in the heap means the same memory in its owner, in
 * the neighbours and in the server. One allocator a node, under one lock, gives out ranges of it.
 *
 * A region has a range at the same offset on all nodes of its members (node/range.h): the slice of
 * a process lies at that offset + its rank on the node times the stride. So nobody needs a table of
 * addresses. */
#ifndef ARMCII_HEAP_H
#define ARMCII_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi/team.h"
#include "mpi/world.h"

struct heap {
    char *base;
    size_t bytes; /* 0: there is no heap */
};
extern const struct heap *const armcii_heap;

/* Collective over the world, after armcii_node_start. Without shared memory
 * by memfd, or where no range of addresses is free in all processes, there is no heap. */
void armcii_heap_start(void);
void armcii_heap_end(void);

/* The address of a process's part of what lies at that offset with that stride. */
static inline char *armcii_heap_address(int process, size_t offset, size_t stride)
{
    return armcii_heap->base + offset + (size_t)armcii_world->local_rank_of[process] * stride;
}

/* The offset of an address; at least armcii_heap->bytes if it is not in the heap. */
static inline size_t armcii_heap_offset(const void *address)
{
    return (uintptr_t)address - (uintptr_t)armcii_heap->base;
}

/* ---- ranges ----
 *
 * Addresses tell what a range may hold: memory of single processes and what the library shares
 * itself are at the lower end, regions above. */

enum { HUGE_PAGE = 2 << 20 };
enum heap_part { HEAP_PRIVATE, HEAP_SMALL, HEAP_LARGE }; /* ascending; the last has huge pages */

/* The offset at which a part ends and the next begins. */
size_t armcii_heap_end_of(enum heap_part part);

/* The offset of the highest free range of `bytes` bytes of a part that ends at or below the limit,
 * a multiple of the alignment; HEAP_FULL if there is none. A range that is freed keeps its pages,
 * unless they were dropped. */
#define HEAP_FULL SIZE_MAX
size_t armcii_heap_alloc(enum heap_part part, size_t bytes, size_t alignment, size_t limit);
void armcii_heap_free(size_t offset, size_t bytes);

/* By each member of a team: a range of whole pages that no member accesses any more. Its
 * memory goes back to the system, and its content is lost. A network adapter may have registered
 * the pages for any process that maps them: the members tell their MPI libraries here, and other
 * processes, which may be servers, in armcii_heap_drop_registrations. `is_first`: this member makes
 * the hole. */
void armcii_heap_free_pages(size_t offset, size_t bytes, bool is_first);
/* Tell the MPI library what has been freed in the node's heap since the last call. Any thread. */
void armcii_heap_drop_registrations(void);

/* Zeroed memory for that many processes of the node, aligned to 64 bytes; NULL: there is no room.
 * The last of them to leave frees it. */
void *armcii_heap_share(size_t bytes, int processes);
void armcii_heap_leave(void *memory);

/* Memory for the caller alone, at least `bytes` bytes, until the end of the heap; NULL: there is no
 * room. Other processes of the node find it by its address. */
char *armcii_heap_take(size_t bytes);
/* What a process of the node has taken so, and that holds the address; false: nothing. */
bool armcii_heap_find(int process, const void *address, char **memory, size_t *bytes);

/* True if regions, or that process of the caller's node alone, use all huge pages of [memory,
 * memory + bytes); bytes > 0. Constant for what lies in one huge page. Finer only for memory that a
 * process took alone. Takes no lock. */
bool armcii_heap_is_used(int process, const void *memory, size_t bytes);

/* Bytes of the heap that memory backs, without those that were freed and are kept. */
size_t armcii_heap_touched(void);
/* Pages of `bytes` bytes were freed, and are kept; are in use again. */
void armcii_heap_keep(size_t bytes);
void armcii_heap_use_kept(size_t bytes);

#endif
