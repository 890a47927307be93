/* rndv.c - rendezvous puts and accumulates whose data are not yet in place. */
#include "transport/am/rndv.h"

#include <stdlib.h>

#include "base/log.h"

static struct {
    struct link {
        struct link *next;
        struct rndv rndv;
    } * first;
} rndv;

void armcii_rndv_add(const struct rndv *added)
{
    struct link *l = armcii_alloc(1, sizeof *l, "a rendezvous");
    *l = (struct link){rndv.first, *added};
    rndv.first = l;
}

/* The link to it; to NULL: there is none. */
static struct link **find(int server, int tag)
{
    struct link **at = &rndv.first, *r;
    while ((r = *at) != NULL && (r->rndv.server != server || r->rndv.tag != tag))
        at = &r->next;
    return at;
}

bool armcii_rndv_is_known(int server, int tag)
{
    return *find(server, tag) != NULL;
}

void armcii_rndv_remove(int server, int tag)
{
    struct link **at = find(server, tag), *r = *at;
    if (!r) return;
    *at = r->next;
    free(r);
}

bool armcii_rndv_has(int server, uint64_t id)
{
    const struct link *r = rndv.first;
    while (r && (r->rndv.server != server || r->rndv.id > id))
        r = r->next;
    return r != NULL;
}

bool armcii_rndv_conflicts(int owner, struct op_verb verb, const char *lo, const char *hi)
{
    for (const struct link *l = rndv.first; l; l = l->next) {
        const struct rndv *r = &l->rndv;
        if (r->owner != owner) continue;
        if (verb.kind == OP_ACC && r->verb.kind == OP_ACC && verb.element == r->verb.element)
            continue;
        if (r->lo < hi && lo < r->hi) return true;
        if (r->flag && r->flag < hi && lo < r->flag + sizeof(int)) return true;
    }
    return false;
}
