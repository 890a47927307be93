/* rndv.c - rendezvous puts and accumulates whose data are not yet in place. */
#include "transport/am/rndv.h"

#include <stdlib.h>

#include "base/log.h"

void armcii_rndv_add(struct rndv **list, const struct rndv *added)
{
    struct rndv *r = armcii_alloc(1, sizeof *r, "a rendezvous");
    *r = *added;
    r->next = *list;
    *list = r;
}

struct rndv **armcii_rndv_find(struct rndv **list, int tag)
{
    while (*list && (*list)->tag != tag)
        list = &(*list)->next;
    return list;
}

void armcii_rndv_remove(struct rndv **link)
{
    struct rndv *r = *link;
    *link = r->next;
    free(r);
}

bool armcii_rndv_conflicts(const struct rndv *list, int owner, struct op_verb verb, const char *lo,
                           const char *hi)
{
    for (const struct rndv *r = list; r; r = r->next) {
        if (r->owner != owner) continue;
        if (verb.kind == OP_ACC && r->verb.kind == OP_ACC && verb.element == r->verb.element)
            continue;
        if (r->lo < hi && lo < r->hi) return true;
        if (r->flag && r->flag < hi && lo < r->flag + sizeof(int)) return true;
    }
    return false;
}
