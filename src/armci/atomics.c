/* atomics.c - read-modify-write, notification. */
#include "armci/entry.h"
#include "core/notify.h"
#include "core/op.h"
#include "mpi/world.h"

int PARMCI_Rmw(int op, void *ploc, void *prem, int value, int proc)
{
    ARMCII_ENTER("ARMCI_Rmw");
    if (!entered) return ARMCI_ERR_STATE;
    int rc = armcii_check_process("ARMCI_Rmw", "proc", proc);
    if (!rc && (op < ARMCI_FETCH_AND_ADD || op > ARMCI_SWAP_LONG))
        rc = armcii_error(ARMCI_ERR_TYPE, "ARMCI_Rmw", "op", "invalid operation", "%d", op);
    if (!rc) rc = armcii_check_pointer("ARMCI_Rmw", "ploc", ploc);
    if (rc) return rc;
    rc = armcii_rmw("ARMCI_Rmw", op, ploc, prem, value, proc);
    if (__builtin_expect(armcii_stats_on, 0) && rc == 0) armcii_stats_note_transfer(STATS_RMW, proc, armcii_rmw_bytes(op), 1, false);
    return rc;
}
ARMCII_ALIAS(ARMCI_Rmw, PARMCI_Rmw);

/* ---- notification ---- */

int parmci_notify(int proc)
{
    ARMCII_ENTER("armci_notify");
    if (!entered) return -ARMCI_ERR_STATE;
    int rc = armcii_check_process("armci_notify", "proc", proc);
    if (rc) return -rc;
    armcii_complete_process(proc);
    return armcii_notify_send(proc);
}
ARMCII_ALIAS(armci_notify, parmci_notify);

int parmci_notify_wait(int proc, int *pval)
{
    ARMCII_ENTER("armci_notify_wait");
    if (!entered) return -ARMCI_ERR_STATE;
    int rc = armcii_check_process("armci_notify_wait", "proc", proc);
    if (!rc) rc = armcii_check_pointer("armci_notify_wait", "pval", pval);
    return rc ? -rc : armcii_notify_wait(proc, pval);
}
ARMCII_ALIAS(armci_notify_wait, parmci_notify_wait);
