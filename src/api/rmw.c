/* rmw.c - read-modify-write. */
#include "api/entry.h"
#include "core/op.h"
#include "mem/lookup.h"

static bool is_operation(int op)
{
    return op >= ARMCI_FETCH_AND_ADD && op <= ARMCI_SWAP_LONG;
}

/* What is on another node, or wrong. */
__attribute__((noinline)) static int rmw(const char *caller, int op, void *ploc, void *prem,
                                         int value, int proc)
{
    ARMCII_ENTER(caller);
    if (!entered) return ARMCI_ERR_STATE;
    int rc = armcii_check_process(caller, "proc", proc);
    if (!rc && !is_operation(op))
        rc = armcii_error(ARMCI_ERR_TYPE, caller, "op", "invalid operation", "%d", op);
    if (!rc) rc = armcii_check_pointer(caller, "ploc", ploc);
    return rc ? rc : armcii_rmw(caller, op, ploc, prem, value, proc);
}

/* Takes no lock where the memory is on the node, as a put: nothing that another thread may change
 * is used. */
int PARMCI_Rmw(int op, void *ploc, void *prem, int value, int proc)
{
    const size_t bytes = armcii_rmw_bytes(op);
    const bool is_right = is_operation(op) && ploc && (uintptr_t)prem % bytes == 0;
    if (!is_right || !armcii_last_is_direct(proc, prem, bytes))
        return rmw(CALLER, op, ploc, prem, value, proc);
    armcii_rmw_there(op, ploc, prem, value);
    return 0;
}
ARMCII_ALIAS(ARMCI_Rmw, PARMCI_Rmw);
