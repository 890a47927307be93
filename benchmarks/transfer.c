/* transfer.c - contiguous transfers in a loop. */
#include "transfer.h"

#include <armci.h>

void transfer_put(const struct row *row, const struct site *site, long times)
{
    char *local = site->local, *remote = site->remote;
    int bytes = row->patch.bytes, target = site->target;
    for (long i = 0; i < times; i++)
        ARMCI_Put(local, remote, bytes, target);
}

void transfer_get(const struct row *row, const struct site *site, long times)
{
    char *local = site->local, *remote = site->remote;
    int bytes = row->patch.bytes, target = site->target;
    for (long i = 0; i < times; i++)
        ARMCI_Get(remote, local, bytes, target);
}

void transfer_acc(const struct row *row, const struct site *site, long times)
{
    char *local = site->local, *remote = site->remote;
    int bytes = row->patch.bytes, target = site->target;
    double one = 1;
    for (long i = 0; i < times; i++)
        ARMCI_Acc(ARMCI_ACC_DBL, &one, local, remote, bytes, target);
}
