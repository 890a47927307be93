/* rmw.c - atomic read-modify-write by MPI_Fetch_and_op. */
#include "lock/rmw.h"

#include <stdint.h>
#include <string.h>

#include <armci.h>

#include "base/error.h"
#include "base/mutant.h"
#include "gmr/region.h"
#include "mpi/rma.h"
#include "xfer/pending.h"
#include "xfer/transfer.h"

static size_t operand_size(int op)
{
    return op == ARMCI_FETCH_AND_ADD || op == ARMCI_SWAP ? sizeof(int) : sizeof(long);
}

int armcii_rmw(const char *caller, int op, void *local, void *remote, int value, int target)
{
    size_t size = operand_size(op);
    long add = value, operand = 0, old = 0;
    struct place place;
    if ((uintptr_t)remote % size != 0)
        return armcii_error(ARMCI_ERR_ALIGN, caller, "prem", "the address is not aligned to its type", "%p", remote);
    int rc = armcii_transfer_locate(caller, "prem", target, remote, size, &place);
    if (rc) return rc;

    enum rma_update update = op == ARMCI_SWAP || op == ARMCI_SWAP_LONG ? RMA_UPDATE_REPLACE : RMA_UPDATE_ADD;
    const void *source = size == sizeof(int) ? (const void *)&value : &add;
    memcpy(&operand, update == RMA_UPDATE_REPLACE ? local : source, size);
    /* It reads and writes: what the caller put there before must be in place. */
    armcii_pending_admit(&place, target, (struct rma_verb){.kind = RMA_PUT}, remote, (char *)remote + size, 1);
    armcii_rma_fetch_and_op(&place.region->window, update, place.rank, (char *)remote - place.origin, size, &operand, &old);
    armcii_pending_complete(place.region, target);
    if (armcii_mutant("rmw-returns-new") && update == RMA_UPDATE_ADD) old += value;
    memcpy(local, &old, size);
    return 0;
}
