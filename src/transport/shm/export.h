/* export.h - exported segments: memory that one process allocates alone and the node can map.  Each is an anonymous file; another process
 * opens it through /proc when it first needs an address in it.  The node control block lists the exports. */
#ifndef ARMCII_EXPORT_H
#define ARMCII_EXPORT_H

#include <stdbool.h>
#include <stddef.h>

/* Called after armcii_node_start. */
void armcii_exports_start(void);

/* Allocates and exports `bytes`; NULL if there is no memory, or the node cannot share it this way. */
void *armcii_export_create(size_t bytes);

/* Finds and maps the export of a node rank that contains the address.  *base is its address there, *mapped here.  False: none. */
bool armcii_export_find(int rank, const void *address, char **base, size_t *bytes, char **mapped);

/* Frees the own exports and the attachments.  No process uses them any more. */
void armcii_exports_end(void);

#endif
