/* rndv.h - rendezvous puts whose data are not yet in place. A server serves requests in order but
 * receives rendezvous data later, so that operations on the same bytes wait. Called under the
 * global lock. */
#ifndef ARMCII_RNDV_H
#define ARMCII_RNDV_H

#include <stdbool.h>
#include <stdint.h>

/* It writes within [lo, hi) of the owner's memory, and the server acknowledges it with the tag. */
struct rndv_put {
    int server, owner, tag;
    char *lo, *hi;
    char *flag; /* an int that is set behind the data; NULL: none */
};

void armcii_rndv_add(const struct rndv_put *put);
/* The data of the put are in place. */
void armcii_rndv_remove(int server, int tag);

/* Puts so far. */
uint64_t armcii_rndv_count(void);
/* Is any of the first `count` puts not in place at the server? */
bool armcii_rndv_has(int server, uint64_t count);
/* Does any put, or its flag, write within [lo, hi) of the owner's memory? */
bool armcii_rndv_overlaps(int owner, const char *lo, const char *hi);

#endif
