/* rmw.c - read-modify-write. */
#include "api/entry.h"
#include "core/op.h"

int PARMCI_Rmw(int op, void *ploc, void *prem, int value, int proc)
{
    ARMCII_ENTER(CALLER);
    if (!entered) return ARMCI_ERR_STATE;
    int rc = armcii_check_process(CALLER, "proc", proc);
    if (!rc && (op < ARMCI_FETCH_AND_ADD || op > ARMCI_SWAP_LONG))
        rc = armcii_error(ARMCI_ERR_TYPE, CALLER, "op", "invalid operation", "%d", op);
    if (!rc) rc = armcii_check_pointer(CALLER, "ploc", ploc);
    if (rc) return rc;
    rc = armcii_rmw(CALLER, op, ploc, prem, value, proc);
    return rc;
}
ARMCII_ALIAS(ARMCI_Rmw, PARMCI_Rmw);
