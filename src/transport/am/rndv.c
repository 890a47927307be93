/* rndv.c - rendezvous puts whose data are not yet in place. */
#include "transport/am/rndv.h"

#include <stdlib.h>

#include "base/log.h"

static struct {
    struct rndv {
        struct rndv *next;
        struct rndv_put put;
        uint64_t number; /* from 1 on */
    } * first;
    uint64_t count;
} rndv;

void armcii_rndv_add(const struct rndv_put *put)
{
    struct rndv *r = armcii_alloc(1, sizeof *r, "a put");
    *r = (struct rndv){rndv.first, *put, ++rndv.count};
    rndv.first = r;
}

void armcii_rndv_remove(int server, int tag)
{
    struct rndv **link = &rndv.first, *r;
    while ((r = *link) != NULL && (r->put.server != server || r->put.tag != tag))
        link = &r->next;
    if (!r) return;
    *link = r->next;
    free(r);
}

uint64_t armcii_rndv_count(void)
{
    return rndv.count;
}

bool armcii_rndv_has(int server, uint64_t count)
{
    const struct rndv *r = rndv.first;
    while (r && (r->put.server != server || r->number > count))
        r = r->next;
    return r != NULL;
}

bool armcii_rndv_overlaps(int owner, const char *lo, const char *hi)
{
    for (const struct rndv *r = rndv.first; r; r = r->next) {
        const struct rndv_put *put = &r->put;
        if (put->owner != owner) continue;
        if (put->lo < hi && lo < put->hi) return true;
        if (put->flag && put->flag < hi && lo < put->flag + sizeof(int)) return true;
    }
    return false;
}
