/* region.h - global memory regions: one slice per member of a team, reachable from every member. */
#ifndef ARMCII_REGION_H
#define ARMCII_REGION_H

#include "mem/lookup.h"

/* Collective over the team: a slice of `bytes` >= 0 bytes (may differ) on every member. NULL, on
 * every member, if all sizes are 0 (then *why is NULL), or if there can be no region: *why is the
 * reason in words, valid until the thread's next call. */
struct region *armcii_region_create(struct team *team, long bytes, const char **why);
/* Collective over the region's team; requires that no operation is outstanding on the region. */
void armcii_region_free(struct region *region);
/* Collective over the world: free all remaining regions. */
void armcii_regions_free_all(void);

/* Collective over the team, before a free: agree on the region. A member passes its region, or
 * NULL if its slice is empty; *agreed is NULL if all pass NULL. false, on every member, if they
 * pass different regions. */
bool armcii_region_agree(struct team *team, struct region *own, struct region **agreed);

/* The region whose slice in this process begins at base; NULL if none does. */
struct region *armcii_region_of_base(const void *base);

/* ---- memory that single processes allocate (ARMCI_Memget; memget.c) ----
 *
 * It is in the heap, where the other processes of the node find it by its address. Without a
 * heap, and where other nodes are reached by rma, it is attached to a dynamic window over the
 * world, created at start since the creation is collective; the program passes addresses to other
 * processes. */

/* Collective over the world; the end requires that no process uses such memory any more. */
void armcii_memget_start(void);
void armcii_memget_end(void);
/* The region of such memory; NULL if there is none. */
struct region *armcii_memget_region(void);

/* Allocate memory that other processes access after armcii_memget_learn; NULL: out of memory, or no
 * dynamic window. */
void *armcii_memget_create(size_t bytes);
/* false: memory is not from armcii_memget_create. */
bool armcii_memget_free(void *memory);
/* As armcii_lookup; but where no slice holds all of [address, address + bytes), they may be assumed
 * to be such memory. true, with *raddr set, does not say that the slice holds them all. */
bool armcii_resolve(int process, const void *address, size_t bytes, struct raddr *raddr);
/* Declare [memory, memory + bytes) of `process` as such memory; false if it cannot be. */
bool armcii_memget_learn(int process, void *memory, size_t bytes);

#endif
