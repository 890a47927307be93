/* rndv.h - large puts that are not yet in place.  A server serves requests in order, but the data of a large put come in a message of
 * their own: what meets it must wait. */
#ifndef ARMCII_RNDV_H
#define ARMCII_RNDV_H

#include <stdbool.h>
#include <stdint.h>

/* A large put was asked of a server: it writes bytes between lo and hi of the owner's memory, and is acknowledged with the tag. */
struct rndv_put {
    int server, owner, tag;
    char *lo, *hi;
};
void armcii_rndv_add(const struct rndv_put *large);
/* It is in place. */
void armcii_rndv_remove(int server, int tag);

bool armcii_rndv_any(void);
/* How many were ever added. */
uint64_t armcii_rndv_count(void);
/* Is any of the first `count` on its way to the server?  Does any write between lo and hi of the owner's memory? */
bool armcii_rndv_have_server(int server, uint64_t count);
bool armcii_rndv_overlap(int owner, const char *lo, const char *hi);

#endif
