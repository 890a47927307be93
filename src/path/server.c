/* server.c - the path through the agent of the target's host. */
#include "path/path.h"
#include "server/client.h"

static bool can(const struct located *t)
{
    return t->place.served;
}

static uint64_t issue(const struct located *t)
{
    struct remote to = {t->target, t->place.agent, t->place.delta};
    switch (t->verb.kind) {
    case RMA_PUT: return armcii_client_put(&to, t->shape);
    case RMA_GET: return armcii_client_get(&to, t->shape);
    default: return armcii_client_accumulate(&to, t->verb.element, t->scale, t->shape);
    }
}

const struct path armcii_path_server = {"server", "requests to an agent on the target's host", STATS_SERVER, can, issue};
