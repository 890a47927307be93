/* nonblocking.c - 1000 puts of 8 bytes to different addresses: blocking, non-blocking with the implicit handle, and with one aggregate
 * handle.  Times are for all 1000, the wait included. */
#include "data.h"
#include "row.h"

#include <armci.h>

enum { PUTS = 1000 };

static void run_blocking(const struct row *row, const struct site *site, long times)
{
    const struct patch patch = row->patch;
    for (long i = 0; i < times; i++) {
        char *from = site->local, *to = site->remote;
        for (int put = 0; put < patch.segments; put++, from += patch.local_stride, to += patch.remote_stride)
            ARMCI_Put(from, to, patch.bytes, site->target);
    }
}

static void start(const struct row *row, const struct site *site, armci_hdl_t *handle)
{
    const struct patch patch = row->patch;
    char *from = site->local, *to = site->remote;
    for (int put = 0; put < patch.segments; put++, from += patch.local_stride, to += patch.remote_stride)
        ARMCI_NbPut(from, to, patch.bytes, site->target, handle);
}

static void run_implicit(const struct row *row, const struct site *site, long times)
{
    for (long i = 0; i < times; i++) {
        start(row, site, NULL);
        ARMCI_WaitAll();
    }
}

static void run_aggregate(const struct row *row, const struct site *site, long times)
{
    armci_hdl_t handle;
    for (long i = 0; i < times; i++) {
        ARMCI_INIT_HANDLE(&handle);
        ARMCI_SET_AGGREGATE_HANDLE(&handle);
        start(row, site, &handle);
        ARMCI_Wait(&handle);
    }
}

const struct row kind_puts = {.name = "1000 puts of 8 B",
                              .patch = {PUTS, 8, 16, 16},
                              .run = run_blocking,
                              .prepare = data_prepare_put,
                              .check = data_check_put,
                              .copy = data_copy_out};
const struct row kind_puts_implicit = {.name = "1000 nb puts + WaitAll",
                                       .patch = {PUTS, 8, 16, 16},
                                       .run = run_implicit,
                                       .prepare = data_prepare_put,
                                       .check = data_check_put,
                                       .copy = data_copy_out,
                                       .beside = &kind_puts};
const struct row kind_puts_aggregate = {.name = "1000 nb puts, aggregate",
                                        .patch = {PUTS, 8, 16, 16},
                                        .run = run_aggregate,
                                        .prepare = data_prepare_put,
                                        .check = data_check_put,
                                        .copy = data_copy_out,
                                        .beside = &kind_puts};

enum { ROWS = 3 };

static struct row rows[ROWS];

static bool enter(struct site *site)
{
    (void)site;
    rows[0] = kind_puts;
    rows[1] = kind_puts_implicit;
    rows[2] = kind_puts_aggregate;
    return true;
}

const struct group group_nonblocking = {.word = "nonblocking", .count = ROWS, .rows = rows, .enter = enter};
