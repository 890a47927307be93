/* rndv.h - rendezvous puts and accumulates whose data are not yet in place: a list for each server.
 * It serves requests in order but receives rendezvous data later, so that operations on the same
 * bytes wait. Called under the global lock. */
#ifndef ARMCII_RNDV_H
#define ARMCII_RNDV_H

#include <stdbool.h>
#include <stdint.h>

#include "shape/accumulate.h"

/* It writes within [lo, hi) of the owner's memory, and the server acknowledges it with the tag. */
struct rndv {
    struct rndv *next;
    uint64_t id; /* of its operation */
    int owner, tag;
    struct op_verb verb;
    char *lo, *hi;
    char *flag; /* an int that is set behind the data; NULL: none */
};

void armcii_rndv_add(struct rndv **list, const struct rndv *added);
/* The link to the one with that tag; to NULL: there is none. */
struct rndv **armcii_rndv_find(struct rndv **list, int tag);
/* The data of the one behind the link are in place. */
void armcii_rndv_remove(struct rndv **link);

/* True if any of an operation up to that id is not in place at the server. */
static inline bool armcii_rndv_has(const struct rndv *list, uint64_t id)
{
    while (list && list->id > id)
        list = list->next;
    return list != NULL;
}
/* True if such an operation on [lo, hi) of the owner's memory must wait: it meets the bytes or the
 * flag of one in the list, and both are no accumulates of the same element. */
bool armcii_rndv_conflicts(const struct rndv *list, int owner, struct op_verb verb, const char *lo,
                           const char *hi);

#endif
