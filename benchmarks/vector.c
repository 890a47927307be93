/* vector.c - 1000 separate segments of 8 bytes in one call. The lists of addresses are built
 * before the measurement. */
#include "data.h"
#include "row.h"

#include <armci.h>

enum { PIECES = 1000 }; /* of these rows, and at most of others */

static void *local_pieces[PIECES], *remote_pieces[PIECES];

static void list_pieces(const struct row *row, const struct site *site)
{
    for (int i = 0; i < row->patch.segments; i++) {
        local_pieces[i] = site->local + (long)i * row->patch.local_stride;
        remote_pieces[i] = site->remote + (long)i * row->patch.remote_stride;
    }
}

static void prepare_put(const struct row *row, const struct site *site, int seed)
{
    list_pieces(row, site);
    data_prepare_put(row, site, seed);
}

static void prepare_get(const struct row *row, const struct site *site, int seed)
{
    list_pieces(row, site);
    data_prepare_get(row, site, seed);
}

static void prepare_acc(const struct row *row, const struct site *site, int seed)
{
    list_pieces(row, site);
    data_prepare_acc(row, site, seed);
}

static armci_giov_t outward(const struct row *row)
{
    return (armci_giov_t){.src_ptr_array = local_pieces,
                          .dst_ptr_array = remote_pieces,
                          .bytes = row->patch.bytes,
                          .ptr_array_len = row->patch.segments};
}

static void run_put(const struct row *row, const struct site *site, long times)
{
    armci_giov_t entry = outward(row);
    for (long i = 0; i < times; i++)
        ARMCI_PutV(&entry, 1, site->target);
}

static void run_get(const struct row *row, const struct site *site, long times)
{
    armci_giov_t entry = outward(row);
    entry.src_ptr_array = remote_pieces;
    entry.dst_ptr_array = local_pieces;
    for (long i = 0; i < times; i++)
        ARMCI_GetV(&entry, 1, site->target);
}

static void run_acc(const struct row *row, const struct site *site, long times)
{
    armci_giov_t entry = outward(row);
    double one = 1;
    for (long i = 0; i < times; i++)
        ARMCI_AccV(ARMCI_ACC_DBL, &one, &entry, 1, site->target);
}

const struct row kind_put_vector = {.name = "putV 1000 x 8 B",
                                    .patch = {PIECES, 8, 16, 16},
                                    .run = run_put,
                                    .prepare = prepare_put,
                                    .check = data_check_put,
                                    .copy = data_copy_out};
const struct row kind_get_vector = {.name = "getV 1000 x 8 B",
                                    .patch = {PIECES, 8, 16, 16},
                                    .run = run_get,
                                    .prepare = prepare_get,
                                    .check = data_check_get,
                                    .copy = data_copy_in};
const struct row kind_acc_vector = {.name = "accV 1000 x 8 B",
                                    .patch = {PIECES, 8, 16, 16},
                                    .run = run_acc,
                                    .prepare = prepare_acc,
                                    .check = data_check_acc,
                                    .copy = data_copy_out};

enum { ROWS = 3 };

static struct row rows[ROWS];

static bool enter(struct site *site)
{
    (void)site;
    rows[0] = kind_put_vector;
    rows[1] = kind_get_vector;
    rows[2] = kind_acc_vector;
    return true;
}

const struct group group_vector = {.word = "vector", .count = ROWS, .rows = rows, .enter = enter};
