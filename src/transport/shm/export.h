/* export.h - memory that one process alone offers to its node: an anonymous file which the others open through /proc when they first meet an
 * address in it.  What is on offer stands in the block that the node has in common, so nobody has to be told. */
#ifndef ARMCII_EXPORT_H
#define ARMCII_EXPORT_H

#include <stdbool.h>
#include <stddef.h>

/* After the start of the node. */
void armcii_exports_start(void);

/* `bytes` of new memory on offer; NULL where there is none, or offers are not possible on this node. */
void *armcii_export_create(size_t bytes);

/* The offer of rank `who` of the node that holds address: where it begins there and here, and its size.  False when there is none. */
bool armcii_export_attach(int who, const void *address, char **base, size_t *bytes, char **mapped);

/* Give back own offers and the views of others'.  Nobody uses them any more. */
void armcii_exports_end(void);

#endif
