/* rndv.h - rendezvous puts and accumulates whose data are not yet in place. A server serves
 * requests in order but receives rendezvous data later, so that operations on the same bytes wait.
 * Called under the global lock. */
#ifndef ARMCII_RNDV_H
#define ARMCII_RNDV_H

#include <stdbool.h>
#include <stdint.h>

#include "shape/accumulate.h"

/* It writes within [lo, hi) of the owner's memory, and the server acknowledges it with the tag. */
struct rndv {
    uint64_t id; /* of its operation */
    int server, owner, tag;
    struct op_verb verb;
    char *lo, *hi;
    char *flag; /* an int that is set behind the data; NULL: none */
};

void armcii_rndv_add(const struct rndv *added);
/* True if such a one is in the list. */
bool armcii_rndv_is_known(int server, int tag);
/* The data are in place. */
void armcii_rndv_remove(int server, int tag);

/* True if any of an operation up to that id is not in place at the server. */
bool armcii_rndv_has(int server, uint64_t id);
/* True if such an operation on [lo, hi) of the owner's memory must wait: it meets the bytes or the
 * flag of one in the list, and both are no accumulates of the same element. */
bool armcii_rndv_conflicts(int owner, struct op_verb verb, const char *lo, const char *hi);

#endif
