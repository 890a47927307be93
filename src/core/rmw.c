/* rmw.c - atomic read-modify-write: by this processor where the target's memory is shared, else by MPI_Fetch_and_op. */
#include "core/rmw.h"

#include <stdint.h>
#include <string.h>

#include <armci.h>

#include "base/error.h"
#include "base/fault.h"
#include "base/stats.h"
#include "mem/addr_cache.h"
#include "mpi/rma.h"
#include "transport/am/client.h"
#include "transport/shm/apply.h"
#include "transport/rma/pending.h"
#include "core/op.h"

size_t armcii_rmw_bytes(int op)
{
    return op == ARMCI_FETCH_AND_ADD || op == ARMCI_SWAP ? sizeof(int) : sizeof(long);
}

bool armcii_rmw_swaps(int op)
{
    return op == ARMCI_SWAP || op == ARMCI_SWAP_LONG;
}

/* The operand: what is added, or what replaces; `bytes` of it. */
static long operand_of(int op, const void *local, int value, size_t bytes)
{
    long add = value, operand = 0;
    const void *source = armcii_rmw_swaps(op) ? local : bytes == sizeof(int) ? (const void *)&value : &add;
    memcpy(&operand, source, bytes);
    return operand;
}

/* It reads and writes: what the caller put there before must be in place. */
static long update_by_mpi(int op, const struct raddr *raddr, void *remote, int target, long operand, size_t bytes)
{
    long old = 0;
    enum rma_update update = armcii_rmw_swaps(op) ? RMA_UPDATE_REPLACE : RMA_UPDATE_ADD;
    armcii_apply_settle();
    armcii_rma_order_before_issue(raddr, target, (struct rma_verb){.kind = RMA_PUT}, remote, (char *)remote + bytes, 1);
    armcii_rma_fetch_and_op(&raddr->region->window, update, raddr->rank, (char *)remote - raddr->origin, bytes, &operand, &old);
    armcii_pending_complete(raddr->region, target);
    if (bytes == sizeof(long)) return old;
    int small;
    memcpy(&small, &old, sizeof small);
    return small;
}

static void give_result(int op, void *local, long old, int value, size_t bytes)
{
    if (armcii_fault("rmw-returns-new") && !armcii_rmw_swaps(op)) old += value;
    if (bytes == sizeof(int))
        memcpy(local, &(int){(int)old}, sizeof(int));
    else
        memcpy(local, &old, sizeof old);
}

int armcii_rmw(const char *caller, int op, void *local, void *remote, int value, int target)
{
    size_t bytes = armcii_rmw_bytes(op);
    struct raddr raddr;
    long old;
    if ((uintptr_t)remote % bytes != 0)
        return armcii_error(ARMCI_ERR_ALIGN, caller, "prem", "the address is not aligned to its type", "%p", remote);
    char *there = armcii_addr_cache_lookup(target, remote, bytes);
    if (!there) {
        int rc = armcii_op_resolve(caller, "prem", target, remote, bytes, &raddr);
        if (rc) return rc;
        if (raddr.mapped && !raddr.region->has_window) there = (char *)remote + (raddr.mapped - raddr.lo);
    }
    enum apply_update update = armcii_rmw_swaps(op) ? APPLY_REPLACE : APPLY_ADD;
    long operand = operand_of(op, local, value, bytes);
    armcii_stats_travels(there ? STATS_DIRECT : raddr.served ? STATS_SERVER : STATS_ATOMIC, bytes, 1);
    if (there)
        old = armcii_apply_rmw(update, bytes, there, operand);
    else if (raddr.served)
        old = armcii_client_rmw(&(struct remote){target, raddr.server, raddr.delta}, update, bytes, remote, operand);
    else
        old = update_by_mpi(op, &raddr, remote, target, operand, bytes);
    give_result(op, local, old, value, bytes);
    armcii_stats_asked(STATS_RMW, target, bytes, 1);
    return 0;
}
