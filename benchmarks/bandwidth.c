/* bandwidth.c - put, get and accumulate of 1 KiB to 64 MiB, and memcpy of as many bytes. */
#include "data.h"
#include "row.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static const int sizes[] = {1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20};

enum {
    SIZES = sizeof sizes / sizeof *sizes,
    ROWS = 5 * SIZES,
};

static char *shared; /* anonymous shared memory of the caller */

static void copy_to_private(const struct row *row, const struct site *site, long times)
{
    data_copy(site->local, site->spare, row_bytes(row), times);
}

static void copy_to_shared(const struct row *row, const struct site *site, long times)
{
    data_copy(shared, site->spare, row_bytes(row), times);
}

static void prepare_copy(const struct row *row, const struct site *site, int seed)
{
    memset(site->spare, seed, (size_t)row_bytes(row));
    memset(site->local, 0, (size_t)row_bytes(row));
    memset(shared, 0, (size_t)row_bytes(row));
}

static bool check_copy(const struct row *row, const struct site *site, int seed, long times)
{
    const char *to = row->run == copy_to_private ? site->local : shared;
    (void)seed, (void)times;
    return site->me != 0 || memcmp(to, site->spare, (size_t)row_bytes(row)) == 0;
}

static const struct row kinds[ROWS / SIZES] = {
    {.name = "put", .run = transfer_put, .prepare = data_prepare_put, .check = data_check_put, .copy = data_copy_out},
    {.name = "get", .run = transfer_get, .prepare = data_prepare_get, .check = data_check_get, .copy = data_copy_in},
    {.name = "acc", .run = transfer_acc, .prepare = data_prepare_acc, .check = data_check_acc, .copy = data_copy_out},
    {.name = "memcpy private", .run = copy_to_private, .prepare = prepare_copy, .check = check_copy},
    {.name = "memcpy to shared", .run = copy_to_shared, .prepare = prepare_copy, .check = check_copy},
};

static struct row rows[ROWS];
static char names[ROWS][32];

static void name_row(char *name, size_t room, const char *kind, int bytes)
{
    bool mega = bytes >= 1 << 20;
    snprintf(name, room, "%s %d %s", kind, mega ? bytes >> 20 : bytes >> 10, mega ? "MiB" : "KiB");
}

static void make_rows(void)
{
    for (int i = 0; i < ROWS; i++) {
        int bytes = sizes[i % SIZES];
        rows[i] = kinds[i / SIZES];
        name_row(names[i], sizeof names[i], rows[i].name, bytes);
        rows[i].name = names[i];
        rows[i].patch = (struct patch){1, bytes, 0, 0};
    }
}

static bool enter(struct site *site)
{
    (void)site;
    make_rows();
    shared = mmap(NULL, LARGEST_TRANSFER, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool complete = site_all(shared != MAP_FAILED);
    if (!complete && shared != MAP_FAILED) munmap(shared, LARGEST_TRANSFER);
    return complete;
}

static void leave(struct site *site)
{
    (void)site;
    munmap(shared, LARGEST_TRANSFER);
}

const struct group group_bandwidth = {.word = "bandwidth", .count = ROWS, .rows = rows, .enter = enter, .leave = leave};
