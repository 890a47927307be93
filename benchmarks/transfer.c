/* transfer.c - contiguous transfers in a loop. */
#include "transfer.h"

#include "data.h"
#include "kinds.h"

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

const struct row kind_put = {.run = transfer_put, .prepare = data_prepare_put, .check = data_check_put, .copy = data_copy_out};
const struct row kind_get = {.run = transfer_get, .prepare = data_prepare_get, .check = data_check_get, .copy = data_copy_in};
const struct row kind_acc = {.run = transfer_acc, .prepare = data_prepare_acc, .check = data_check_acc, .copy = data_copy_out};
