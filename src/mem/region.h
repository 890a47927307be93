/* region.h - global memory regions: one slice per member of a team, reachable from every member. */
#ifndef ARMCII_REGION_H
#define ARMCII_REGION_H

#include "mem/directory.h"

/* Collective over the team: a slice of `bytes` >= 0 bytes (may differ) on every member.  NULL, on every member, when memory runs out, or
 * some member asks for a negative size, or all for 0 bytes (then *nothing_to_do is true). */
struct region *armcii_region_create(struct team *team, long bytes, bool *nothing_to_do);
/* Collective over the region's team.  Nothing is outstanding on it. */
void armcii_region_free(struct region *region);
/* Collective over the world: frees all that are left. */
void armcii_regions_free_all(void);

/* Collective over the team, before a free: *agreed is the region meant, where every member passes the one it has the base of or, if its
 * slice is empty, NULL; NULL when all pass NULL.  false, on every member, when they mean different ones. */
bool armcii_region_agree(struct team *team, struct region *own, struct region **agreed);

/* The region whose slice in this process begins at base; NULL if none does. */
struct region *armcii_region_of_base(const void *base);

#endif
