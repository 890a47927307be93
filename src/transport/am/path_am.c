/* path_am.c - the path through the server of the target's node. */
#include "transport/path.h"
#include "transport/am/client.h"

static bool can(const struct located *t)
{
    return t->raddr.served;
}

static uint64_t issue(const struct located *t)
{
    struct remote to = {t->target, t->raddr.server, t->raddr.delta};
    switch (t->verb.kind) {
    case RMA_PUT: return armcii_client_put(&to, t->shape);
    case RMA_GET: return armcii_client_get(&to, t->shape);
    default: return armcii_client_accumulate(&to, t->verb.element, t->scale, t->shape);
    }
}

const struct path armcii_path_server = {"server", "requests to a server on the target's node", STATS_SERVER, can, issue};
