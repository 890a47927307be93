/* regions.c - does the number of regions matter?  Put and get of 8 bytes with the one region of the
 * site, then to the newest of 300 and 5000 more regions, and to each of them in turn; and
 * allocation and release of another region. */
#include "data.h"
#include "row.h"

#include <armci.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 300, MOST = 5000, REGION_BYTES = 4096 };

static struct {
    void *remote[MOST], *slice[MOST];
    int count;
    int next;                           /* of those in turn */
    char *single_remote, *single_slice; /* of the site */
} many;

static bool make_region(const struct site *site, void **bases)
{
    if (!site_all(ARMCI_Malloc(bases, REGION_BYTES) == 0)) return false;
    many.remote[many.count] = bases[site->target];
    many.slice[many.count] = bases[site->me];
    many.count++;
    return true;
}

static void leave(struct site *site)
{
    site->remote = many.single_remote;
    site->slice = many.single_slice;
    while (many.count > 0)
        ARMCI_Free(many.slice[--many.count]);
}

/* Allocate the regions; the rows access the newest. */
static bool enter(struct site *site, int regions)
{
    void **bases = calloc((size_t)site->ranks, sizeof *bases);
    bool complete = site_all(bases != NULL);
    many.single_remote = site->remote;
    many.single_slice = site->slice;
    while (complete && many.count < regions)
        complete = make_region(site, bases);
    free(bases);
    if (!complete) {
        leave(site);
        return false;
    }
    site->remote = many.remote[regions - 1];
    site->slice = many.slice[regions - 1];
    return true;
}

static bool enter_many(struct site *site)
{
    return enter(site, MANY);
}

static bool enter_most(struct site *site)
{
    return enter(site, MOST);
}

static void run_in_turn(const struct row *row, const struct site *site, long times)
{
    for (long i = 0; i < times; i++) {
        ARMCI_Put(site->local, many.remote[many.next], row->patch.bytes, site->target);
        many.next = many.next + 1 < many.count ? many.next + 1 : 0;
    }
}

/* The caller's slice of a region, between access_begin and access_end; the newest is the site's,
 * which is open already. */
static char *open_slice(const struct site *site, int region)
{
    struct site other = *site;
    other.slice = many.slice[region];
    if (region != many.count - 1) site_access_begin(&other);
    return other.slice;
}

static void close_slice(const struct site *site, int region)
{
    struct site other = *site;
    other.slice = many.slice[region];
    if (region != many.count - 1) site_access_end(&other);
}

static void prepare_in_turn(const struct row *row, const struct site *site, int seed)
{
    many.next = 0;
    memset(site->local, seed, (size_t)row->patch.bytes);
    for (int region = 0; region < many.count && site->me == site->target; region++) {
        memset(open_slice(site, region), 0, (size_t)row->patch.bytes);
        close_slice(site, region);
    }
}

static bool check_in_turn(const struct row *row, const struct site *site, int seed, long times)
{
    bool right = true;
    (void)seed;
    for (int region = 0; region < many.count && region < times && site->me == site->target;
         region++) {
        right =
            memcmp(open_slice(site, region), site->local, (size_t)row->patch.bytes) == 0 && right;
        close_slice(site, region);
    }
    return right;
}

/* All ranks together. */
static void run_malloc(const struct row *row, const struct site *site, long times)
{
    void **bases = malloc((size_t)site->ranks * sizeof *bases);
    for (long i = 0; i < times && bases; i++) {
        ARMCI_Malloc(bases, REGION_BYTES);
        ARMCI_Free(bases[site->me]);
    }
    free(bases);
    (void)row;
}

/* Each rank finds its number in a new region, where its left neighbour put it. */
static bool prove_malloc(const struct site *site, int seed)
{
    int right = (site->me + 1) % site->ranks, number = seed + right, seen = 0;
    void **bases = malloc((size_t)site->ranks * sizeof *bases);
    if (!site_all(bases != NULL) || !site_all(ARMCI_Malloc(bases, REGION_BYTES) == 0)) {
        free(bases);
        return false;
    }
    ARMCI_Put(&number, bases[right], sizeof number, right);
    ARMCI_Barrier();
    ARMCI_Get(bases[site->me], &seen, sizeof seen, site->me);
    ARMCI_Free(bases[site->me]);
    free(bases);
    return site_all(seen == seed + site->me);
}

/* The same on a group of all ranks. */
static void run_malloc_group(const struct row *row, const struct site *site, long times)
{
    ARMCI_Group group;
    void **bases = malloc((size_t)site->ranks * sizeof *bases);
    ARMCI_Group_get_world(&group);
    for (long i = 0; i < times && bases; i++) {
        ARMCI_Malloc_group(bases, REGION_BYTES, &group);
        ARMCI_Free_group(bases[site->me], &group);
    }
    free(bases);
    (void)row;
}

static const struct row single_rows[] = {
    {.name = "malloc + free 4 KiB, one region",
     .who = TOGETHER,
     .run = run_malloc,
     .prove = prove_malloc},
    {.name = "malloc + free 4 KiB, group",
     .who = TOGETHER,
     .run = run_malloc_group,
     .prove = prove_malloc},
    {.name = "put 8 B, one region",
     .patch = {1, 8, 0, 0},
     .run = transfer_put,
     .prepare = data_prepare_put,
     .check = data_check_put},
    {.name = "get 8 B, one region",
     .patch = {1, 8, 0, 0},
     .run = transfer_get,
     .prepare = data_prepare_get,
     .check = data_check_get},
};

/* clang-format off */
#define ROWS(N) \
    {.name = "put 8 B, newest of " N, .patch = {1, 8, 0, 0}, .run = transfer_put, .prepare = data_prepare_put, .check = data_check_put, \
     .versus = "put 8 B, one region"}, \
    {.name = "get 8 B, newest of " N, .patch = {1, 8, 0, 0}, .run = transfer_get, .prepare = data_prepare_get, .check = data_check_get, \
     .versus = "get 8 B, one region"}, \
    {.name = "malloc + free 4 KiB, " N " regions", .who = TOGETHER, .run = run_malloc, .prove = prove_malloc, \
     .versus = "malloc + free 4 KiB, one region"}, \
    {.name = "put 8 B, " N " regions in turn", .patch = {1, 8, 0, 0}, .run = run_in_turn, .prepare = prepare_in_turn, \
     .check = check_in_turn, .versus = "put 8 B, one region"},
/* clang-format on */

static const struct row many_rows[] = {ROWS("300")};
static const struct row most_rows[] = {ROWS("5000")};

const struct group group_single_region = {
    .word = "regions", .count = sizeof single_rows / sizeof *single_rows, .rows = single_rows};
const struct group group_many_regions = {.word = "regions",
                                         .count = sizeof many_rows / sizeof *many_rows,
                                         .rows = many_rows,
                                         .enter = enter_many,
                                         .leave = leave};
const struct group group_most_regions = {.word = "regions",
                                         .count = sizeof most_rows / sizeof *most_rows,
                                         .rows = most_rows,
                                         .enter = enter_most,
                                         .leave = leave};
