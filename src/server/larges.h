/* larges.h - large puts that are not yet in place.  An agent serves requests in order, but the data of a large put come in a message of
 * their own: what meets it must wait. */
#ifndef ARMCII_LARGES_H
#define ARMCII_LARGES_H

#include <stdbool.h>
#include <stdint.h>

/* A large put was asked of an agent: it writes bytes between lo and hi of the owner's memory, and is acknowledged with the tag. */
struct large {
    int agent, owner, tag;
    char *lo, *hi;
};
void armcii_larges_add(const struct large *large);
/* It is in place. */
void armcii_larges_drop(int agent, int tag);

bool armcii_larges_any(void);
/* How many were ever added. */
uint64_t armcii_larges_count(void);
/* Is any of the first `count` on its way to the agent?  Does any write between lo and hi of the owner's memory? */
bool armcii_larges_of(int agent, uint64_t count);
bool armcii_larges_meet(int owner, const char *lo, const char *hi);

#endif
