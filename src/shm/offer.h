/* offer.h - memory that one process alone offers to its host: an anonymous file which the others open through /proc when they first meet an
 * address in it.  What is on offer stands in the block that the host has in common, so nobody has to be told. */
#ifndef ARMCII_OFFER_H
#define ARMCII_OFFER_H

#include <stdbool.h>
#include <stddef.h>

/* After the start of the host. */
void armcii_offers_start(void);

/* `bytes` of new memory on offer; NULL where there is none, or offers are not possible on this host. */
void *armcii_offer_make(size_t bytes);

/* The offer of rank `who` of the host that holds address: where it begins there and here, and its size.  False when there is none. */
bool armcii_offer_find(int who, const void *address, char **base, size_t *bytes, char **mapped);

/* Give back own offers and the views of others'.  Nobody uses them any more. */
void armcii_offers_end(void);

#endif
