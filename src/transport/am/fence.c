/* fence.c - order and remote completion of what was started towards servers. */
#include "transport/am/am.h"
#include "transport/am/endpoint.h"

#include "mpi/team.h"
#include "mpi/world.h"

static struct {
    unsigned count; /* of all fences so far */
} fence;

/* Send what is there, so that all updates until now are acknowledged. */
static void send_awaited(struct endpoint *e)
{
    if (e->deferred_at) armcii_endpoint_append(e, 0, true);
    armcii_endpoint_send(e);
}

void armcii_endpoints_request_acks(const struct endpoint *except)
{
    for (struct endpoint *e = armcii_endpoints_begin_walk(); e; e = e->next_dirty)
        if (e != except && e->deferred_at) send_awaited(e);
    armcii_endpoints_end_walk();
}

/* Only for what is outstanding now: other threads may keep adding. */
static void wait_acked(struct endpoint *e)
{
    struct backoff p = {0};
    send_awaited(e);
    const uint64_t sent = armcii_endpoint_to_be_acked(e),
                   last = e->rndvs ? armcii_client_last_id() : 0; /* 0: nothing to wait for */
    while (e->acked < sent || armcii_rndv_has(e->rndvs, last))
        armcii_am_progress(&p);
}

/* What the server has not acknowledged may take effect later than what another transport carries;
 * rendezvous that this does not meet may do so. */
void armcii_am_order(const struct raddr *raddr, int target, struct op_verb verb, const char *lo,
                     const char *hi)
{
    struct backoff p = {0};
    struct endpoint *e = armcii_endpoints->of[armcii_world->node_of[target]];
    (void)raddr;
    if (!e) return;
    send_awaited(e);
    const uint64_t sent = armcii_endpoint_to_be_acked(e);
    while (e->acked < sent || armcii_rndv_conflicts(e->rndvs, target, verb, lo, hi))
        armcii_am_progress(&p);
}

/* Programs repeat themselves: a fence between the last unlock and this lock means one behind the
 * next unlock, which would request a deferred acknowledgement by a separate message. */
void armcii_endpoint_expect_unlock(struct endpoint *e)
{
    e->expects_fence = e->fences != fence.count;
}

void armcii_endpoint_send_unlock(struct endpoint *e)
{
    if (e->expects_fence)
        armcii_endpoint_send(e);
    else
        armcii_endpoint_send_urgent(e); /* in a loop, wakeups would cost more than they gain */
    e->fences = fence.count;
}

static bool is_on_team(const struct team *team, const struct endpoint *e)
{
    return !team || armcii_team_is_on_node(team, armcii_world->node_of[e->server]);
}

/* Towards the nodes of a team, or all (NULL). Send to all servers first, then wait. */
__attribute__((noinline)) static void fence_all_of(const struct team *team)
{
    struct endpoint *first = armcii_endpoints_begin_walk();
    fence.count++;
    for (struct endpoint *e = first; e; e = e->next_dirty)
        if (is_on_team(team, e)) send_awaited(e);
    for (struct endpoint *e = first; e; e = e->next_dirty)
        if (is_on_team(team, e)) wait_acked(e);
    armcii_endpoints_end_walk();
}

static inline void fence_process(int process)
{
    struct endpoint *e = armcii_endpoints->of[armcii_world->node_of[process]];
    fence.count++;
    if (e) wait_acked(e);
}

/* Not inline: fences save fewer registers. */
__attribute__((noinline)) static void complete_gets_too(const struct op_set *which, unsigned how)
{
    armcii_client_wait_all(which->target);
    if (how & COMPLETE_REMOTE) armcii_am_complete(which, COMPLETE_REMOTE);
}

void armcii_am_complete(const struct op_set *which, unsigned how)
{
    if (how & COMPLETE_LOCAL)
        complete_gets_too(which, how);
    else if (which->target < 0)
        fence_all_of(which->team);
    else
        fence_process(which->target);
}

bool armcii_endpoints_are_quiet(void)
{
    bool quiet = true;
    for (const struct endpoint *e = armcii_endpoints_begin_walk(); e && quiet; e = e->next_dirty)
        quiet = !armcii_endpoint_is_unfenced(e);
    armcii_endpoints_end_walk();
    return quiet;
}
