/* directory.h - what is where: the slices of all regions, found by process and address.
 * Callers see how a region is reachable only through the route in the address that armcii_region_locate resolves. */
#ifndef ARMCII_DIRECTORY_H
#define ARMCII_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "transport/transport.h"

void armcii_directory_start(void);
void armcii_directory_end(void);

/* [base, base + bytes) in `process` (a rank of the world) belongs to region, and is at `mapped` in this process (NULL: nowhere); replaces
 * what is known of those addresses. */
void armcii_directory_add(int process, void *base, size_t bytes, struct region *region, char *mapped);
/* Forget the region's slice there, unless it has been replaced. */
void armcii_directory_remove(int process, void *base, const struct region *region);

/* Counts changes: a raddr found before is good as long as it stays the same. */
extern unsigned armcii_directory_version;

/* Find the slice of `process` that holds address; false, *raddr untouched, when none does. */
bool armcii_region_locate(int process, const void *address, struct raddr *raddr);

#endif
