/* rndv.c - rendezvous puts and accumulates whose data are not yet in place. */
#include "transport/am/rndv.h"

#include <stdlib.h>

#include "base/log.h"

static struct {
    struct entry {
        struct entry *next;
        struct rndv rndv;
        uint64_t number; /* from 1 on */
    } * first;
    uint64_t count;
} list;

void armcii_rndv_add(const struct rndv *rndv)
{
    struct entry *added = armcii_alloc(1, sizeof *added, "a rendezvous");
    *added = (struct entry){list.first, *rndv, ++list.count};
    list.first = added;
}

/* The link to it; to NULL: there is none. */
static struct entry **find(int server, int tag)
{
    struct entry **link = &list.first, *r;
    while ((r = *link) != NULL && (r->rndv.server != server || r->rndv.tag != tag))
        link = &r->next;
    return link;
}

bool armcii_rndv_is_known(int server, int tag)
{
    return *find(server, tag) != NULL;
}

void armcii_rndv_remove(int server, int tag)
{
    struct entry **link = find(server, tag), *r = *link;
    if (!r) return;
    *link = r->next;
    free(r);
}

uint64_t armcii_rndv_count(void)
{
    return list.count;
}

bool armcii_rndv_has(int server, uint64_t count)
{
    const struct entry *r = list.first;
    while (r && (r->rndv.server != server || r->number > count))
        r = r->next;
    return r != NULL;
}

bool armcii_rndv_conflicts(int owner, struct op_verb verb, const char *lo, const char *hi)
{
    for (const struct entry *e = list.first; e; e = e->next) {
        const struct rndv *r = &e->rndv;
        if (r->owner != owner) continue;
        if (verb.kind == OP_ACC && r->verb.kind == OP_ACC && verb.element == r->verb.element)
            continue;
        if (r->lo < hi && lo < r->hi) return true;
        if (r->flag && r->flag < hi && lo < r->flag + sizeof(int)) return true;
    }
    return false;
}
