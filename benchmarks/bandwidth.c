/* bandwidth.c - put, get and accumulate of 1 B to 64 MiB, and memcpy, messages and one-sided calls
 * of MPI of as many bytes. */
#include "data.h"
#include "plain_mpi.h"
#include "row.h"

#include <string.h>
#include <sys/mman.h>

static const int sizes[] = {1,        8,         64,      256,     1 << 10,  4 << 10, 16 << 10,
                            64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20};

enum {
    SIZES = sizeof sizes / sizeof *sizes,
    ROWS = 8 * SIZES,
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

static const struct row kinds[5] = {
    {.name = "put",
     .run = row_run_stream,
     .step = transfer_put,
     .prepare = data_prepare_put,
     .check = data_check_put,
     .copy = data_copy_out},
    {.name = "get",
     .run = transfer_get,
     .prepare = data_prepare_get,
     .check = data_check_get,
     .copy = data_copy_in},
    {.name = "acc",
     .run = row_run_stream,
     .step = transfer_acc,
     .prepare = data_prepare_acc,
     .check = data_check_acc,
     .copy = data_copy_out},
    {.name = "memcpy private",
     .run = copy_to_private,
     .prepare = prepare_copy,
     .check = check_copy},
    {.name = "memcpy to shared",
     .run = copy_to_shared,
     .prepare = prepare_copy,
     .check = check_copy},
};
/* Behind those: rows of MPI, whose kinds are elsewhere. */
static const struct {
    const char *name;
    const struct row *kind;
} others[] = {{"MPI_Send", &kind_send}, {"MPI_Put", &kind_mpi_put}, {"MPI_Get", &kind_mpi_get}};

static struct row rows[ROWS];
static char names[ROWS][32];

/* Fewer bytes than a double are not accumulated. */
static bool nowhere(const struct site *site)
{
    (void)site;
    return false;
}

static void make_rows(const struct site *site)
{
    const int own = sizeof kinds / sizeof *kinds;
    const double longer = 2e6; /* ns: between nodes, where a batch of puts ends with a fence */
    for (int i = 0; i < ROWS; i++) {
        int kind = i / SIZES, bytes = sizes[i % SIZES];
        const char *name = kind < own ? kinds[kind].name : others[kind - own].name;
        rows[i] = kind < own ? kinds[kind] : *others[kind - own].kind;
        if (rows[i].step == transfer_acc && bytes < (int)sizeof(double))
            rows[i].available = nowhere;
        rows[i].patch = (struct patch){1, bytes, 0, 0};
        row_name(names[i], sizeof names[i], name, &rows[i].patch);
        rows[i].name = names[i];
        rows[i].shortest = site->same_memory ? 0 : longer;
    }
}

static bool enter(struct site *site)
{
    make_rows(site);
    shared =
        mmap(NULL, LARGEST_TRANSFER, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!site_all(shared != MAP_FAILED)) {
        if (shared != MAP_FAILED) munmap(shared, LARGEST_TRANSFER);
        return false;
    }
    mpi_open_window();
    return true;
}

static void leave(struct site *site)
{
    (void)site;
    mpi_close_window();
    munmap(shared, LARGEST_TRANSFER);
}

const struct group group_bandwidth = {
    .word = "bandwidth", .count = ROWS, .rows = rows, .enter = enter, .leave = leave};
