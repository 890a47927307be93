/* strided.c - patches of many short segments, as Global Arrays moves them. The stride is twice the
 * segment length on both sides; in the rows "of a matrix" it is 4096 bytes at the target (two
 * columns of a matrix with 512 doubles per row), and the private side is contiguous. */
#include "data.h"
#include "row.h"

#include <armci.h>

/* A patch as arguments of strided calls. */
struct arguments {
    int local_stride[1], remote_stride[1], count[2];
};

static struct arguments arguments_of(const struct row *row)
{
    const struct patch *patch = &row->patch;
    return (struct arguments){
        {patch->local_stride}, {patch->remote_stride}, {patch->bytes, patch->segments}};
}

static void run_put(const struct row *row, const struct site *site, long times)
{
    struct arguments a = arguments_of(row);
    for (long i = 0; i < times; i++)
        ARMCI_PutS(site->local, a.local_stride, site->remote, a.remote_stride, a.count, 1,
                   site->target);
}

static void run_get(const struct row *row, const struct site *site, long times)
{
    struct arguments a = arguments_of(row);
    for (long i = 0; i < times; i++)
        ARMCI_GetS(site->remote, a.remote_stride, site->local, a.local_stride, a.count, 1,
                   site->target);
}

static void run_acc(const struct row *row, const struct site *site, long times)
{
    struct arguments a = arguments_of(row);
    double one = 1;
    for (long i = 0; i < times; i++) {
        ARMCI_AccS(ARMCI_ACC_DBL, &one, site->local, a.local_stride, site->remote, a.remote_stride,
                   a.count, 1, site->target);
    }
}

const struct row kind_put_strided = {
    .run = run_put, .prepare = data_prepare_put, .check = data_check_put, .copy = data_copy_out};
const struct row kind_get_strided = {
    .run = run_get, .prepare = data_prepare_get, .check = data_check_get, .copy = data_copy_in};
const struct row kind_acc_strided = {
    .run = run_acc, .prepare = data_prepare_acc, .check = data_check_acc, .copy = data_copy_out};

static const struct {
    const char *name;
    const struct row *kind;
    struct patch patch;
} patches[] = {
    {"putS 1024 x 16 B", &kind_put_strided, {1024, 16, 32, 32}},
    {"getS 1024 x 16 B", &kind_get_strided, {1024, 16, 32, 32}},
    {"putS 64 x 512 B", &kind_put_strided, {64, 512, 1024, 1024}},
    {"getS 64 x 512 B", &kind_get_strided, {64, 512, 1024, 1024}},
    {"putS 1024 x 1 KiB", &kind_put_strided, {1024, 1024, 2048, 2048}},
    {"getS 1024 x 1 KiB", &kind_get_strided, {1024, 1024, 2048, 2048}},
    {"accS 1024 x 16 B", &kind_acc_strided, {1024, 16, 32, 32}},
    {"accS 64 x 512 B", &kind_acc_strided, {64, 512, 1024, 1024}},
    {"putS 1024 x 16 B of a matrix", &kind_put_strided, {1024, 16, 4096, 16}},
    {"getS 1024 x 16 B of a matrix", &kind_get_strided, {1024, 16, 4096, 16}},
};

enum { ROWS = sizeof patches / sizeof *patches };

static struct row rows[ROWS];

static bool enter(struct site *site)
{
    (void)site;
    for (int i = 0; i < ROWS; i++) {
        rows[i] = *patches[i].kind;
        rows[i].name = patches[i].name;
        rows[i].patch = patches[i].patch;
    }
    return true;
}

const struct group group_strided = {.word = "strided", .count = ROWS, .rows = rows, .enter = enter};
