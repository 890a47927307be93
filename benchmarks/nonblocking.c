/* nonblocking.c - 1000 puts, or gets, of 8 bytes to different addresses: blocking, non-blocking
 * with the implicit handle, and with one aggregate handle. Times are for all 1000, the wait
 * included. */
#include "data.h"
#include "row.h"

#include <armci.h>

enum { PUTS = 1000 };

static void run_blocking(const struct row *row, const struct site *site, long times)
{
    const struct patch patch = row->patch;
    for (long i = 0; i < times; i++) {
        char *from = site->local, *to = site->remote;
        for (int put = 0; put < patch.segments;
             put++, from += patch.local_stride, to += patch.remote_stride)
            ARMCI_Put(from, to, patch.bytes, site->target);
    }
}

static void start(const struct row *row, const struct site *site, armci_hdl_t *handle)
{
    const struct patch patch = row->patch;
    char *from = site->local, *to = site->remote;
    for (int put = 0; put < patch.segments;
         put++, from += patch.local_stride, to += patch.remote_stride)
        ARMCI_NbPut(from, to, patch.bytes, site->target, handle);
}

static void run_gets(const struct row *row, const struct site *site, long times)
{
    const struct patch patch = row->patch;
    for (long i = 0; i < times; i++) {
        char *to = site->local, *from = site->remote;
        for (int get = 0; get < patch.segments;
             get++, to += patch.local_stride, from += patch.remote_stride)
            ARMCI_Get(from, to, patch.bytes, site->target);
    }
}

static void start_gets(const struct row *row, const struct site *site, armci_hdl_t *handle)
{
    const struct patch patch = row->patch;
    char *to = site->local, *from = site->remote;
    for (int get = 0; get < patch.segments;
         get++, to += patch.local_stride, from += patch.remote_stride)
        ARMCI_NbGet(from, to, patch.bytes, site->target, handle);
}

static void run_gets_implicit(const struct row *row, const struct site *site, long times)
{
    for (long i = 0; i < times; i++) {
        start_gets(row, site, NULL);
        ARMCI_WaitAll();
    }
}

static void run_gets_aggregate(const struct row *row, const struct site *site, long times)
{
    armci_hdl_t handle;
    for (long i = 0; i < times; i++) {
        ARMCI_INIT_HANDLE(&handle);
        ARMCI_SET_AGGREGATE_HANDLE(&handle);
        start_gets(row, site, &handle);
        ARMCI_Wait(&handle);
    }
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

const struct row kind_gets = {.name = "1000 gets of 8 B",
                              .patch = {PUTS, 8, 16, 16},
                              .run = run_gets,
                              .prepare = data_prepare_get,
                              .check = data_check_get,
                              .copy = data_copy_in};
const struct row kind_gets_implicit = {.name = "1000 nb gets + WaitAll",
                                       .patch = {PUTS, 8, 16, 16},
                                       .run = run_gets_implicit,
                                       .prepare = data_prepare_get,
                                       .check = data_check_get,
                                       .copy = data_copy_in,
                                       .beside = &kind_gets};
const struct row kind_gets_aggregate = {.name = "1000 nb gets, aggregate",
                                        .patch = {PUTS, 8, 16, 16},
                                        .run = run_gets_aggregate,
                                        .prepare = data_prepare_get,
                                        .check = data_check_get,
                                        .copy = data_copy_in,
                                        .beside = &kind_gets};

enum { ROWS = 6 };

static struct row rows[ROWS];

static bool enter(struct site *site)
{
    (void)site;
    rows[0] = kind_puts;
    rows[1] = kind_puts_implicit;
    rows[2] = kind_puts_aggregate;
    rows[3] = kind_gets;
    rows[4] = kind_gets_implicit;
    rows[5] = kind_gets_aggregate;
    return true;
}

const struct group group_nonblocking = {
    .word = "nonblocking", .count = ROWS, .rows = rows, .enter = enter};
