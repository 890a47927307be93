/* rmw.c - atomic read-modify-write. */
#include "core/rmw.h"

#include <stdint.h>
#include <string.h>

#include <armci.h>

#include "base/log.h"
#include "base/fault.h"
#include "base/stats.h"
#include "core/op.h"
#include "mem/directory.h"
#include "transport/shm/apply.h"

size_t armcii_rmw_bytes(int op)
{
    return op == ARMCI_FETCH_AND_ADD || op == ARMCI_SWAP ? sizeof(int) : sizeof(long);
}

bool armcii_rmw_swaps(int op)
{
    return op == ARMCI_SWAP || op == ARMCI_SWAP_LONG;
}

/* The addend or the new value, in the first `bytes` bytes. */
static long load_operand(int op, const void *local, int value, size_t bytes)
{
    long add = value, operand = 0;
    const void *source = armcii_rmw_swaps(op) ? local : bytes == sizeof(int) ? (const void *)&value : &add;
    memcpy(&operand, source, bytes);
    return operand;
}

static long update_by_transport(const struct raddr *raddr, int target, enum rmw_update update, size_t bytes, void *remote, long operand)
{
    const struct transport *transport = raddr->route->atomic;
    struct rma_verb verb = {.kind = RMA_PUT}; /* it reads and writes */
    armcii_route_order(raddr, transport, target, verb, remote, (char *)remote + bytes);
    armcii_stats_travels(transport->rmw_path, bytes, 1);
    return transport->rmw(raddr, target, update, bytes, remote, operand);
}

static void store_result(int op, void *local, long old, int value, size_t bytes)
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
    enum rmw_update update = armcii_rmw_swaps(op) ? RMW_REPLACE : RMW_ADD;
    long operand = load_operand(op, local, value, bytes);
    char *there = armcii_addr_cache_lookup(target, remote, bytes);
    if (there) {
        old = armcii_apply_rmw(update, bytes, there, operand);
        armcii_stats_travels(PATH_DIRECT, bytes, 1);
    } else {
        int rc = armcii_op_resolve(caller, "prem", target, remote, bytes, &raddr);
        if (rc) return rc;
        old = update_by_transport(&raddr, target, update, bytes, remote, operand);
    }
    store_result(op, local, old, value, bytes);
    armcii_stats_asked(STATS_RMW, target, bytes, 1);
    return 0;
}
