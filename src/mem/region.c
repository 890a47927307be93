/* region.c - creating, freeing and finding regions. */
#include "mem/region.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/log.h"
#include "base/system.h"
#include "mpi/coll.h"
#include "transport/route.h"
#include "transport/shm/node.h"
#include "mpi/world.h"

enum { MODE_ALL = 1 }; /* ARMCIX_MODE_ALL */

static struct region *oldest, *newest;
static uint64_t last_id;

static void list_append(struct region *r)
{
    r->id = ++last_id;
    r->previous = newest;
    r->next = NULL;
    if (newest)
        newest->next = r;
    else
        oldest = r;
    newest = r;
}

static void list_remove(struct region *r)
{
    *(r->previous ? &r->previous->next : &oldest) = r->next;
    *(r->next ? &r->next->previous : &newest) = r->previous;
}

static struct region *allocate_tables(struct team *team)
{
    int members = team->size;
    struct region *r = calloc(1, sizeof *r);
    char **base = calloc((size_t)members, sizeof *base);
    size_t *bytes = calloc((size_t)members, sizeof *bytes);
    char **mapped = calloc((size_t)members, sizeof *mapped);
    if (!r || !base || !bytes || !mapped) armcii_fatal("out of memory for the tables of a region of %d processes", members);
    r->team = team;
    r->mode = MODE_ALL;
    r->base = base;
    r->bytes = bytes;
    r->mapped = mapped;
    return r;
}

static void free_tables(struct region *r)
{
    free(r->base);
    free(r->bytes);
    free(r->mapped);
    free(r);
}

/* Gather the sizes of all members; false if one is negative. */
static bool exchange_sizes(struct region *r, long bytes, size_t *largest)
{
    armcii_team_allgather(r->team, &bytes, r->bytes, (int)sizeof bytes);
    *largest = 0;
    for (int i = 0; i < r->team->size; i++) {
        if ((long)r->bytes[i] < 0) return false;
        if (r->bytes[i] > *largest) *largest = r->bytes[i];
    }
    return true;
}

/* Saturates at SIZE_MAX. */
static size_t saturated_sum(size_t a, size_t b)
{
    return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

static bool is_on_this_node(const struct team *team, int member)
{
    return armcii_world->node_of[team->to_world[member]] == armcii_world->node_of[armcii_world->rank];
}

/* The bytes of all slices, in whole pages; *here: of the slices of this node; *counts: this process is the first member of this node, which
 * reserves them. */
static size_t sum_slices(const struct region *r, size_t *here, bool *counts)
{
    const struct team *team = r->team;
    enum { PAGE = 4096 };
    size_t all = 0;
    *here = 0;
    *counts = false;
    for (int i = team->size - 1; i >= 0; i--) {
        size_t pages = (r->bytes[i] + PAGE - 1) / PAGE * PAGE; /* sizes are positive longs: no overflow */
        all = saturated_sum(all, pages);
        if (!is_on_this_node(team, i)) continue;
        *here = saturated_sum(*here, pages);
        *counts = i == team->rank;
    }
    return all;
}

/* Bytes of all mapped slices that are backed by memory. */
static size_t count_touched(void)
{
    size_t bytes = 0;
    for (const struct region *r = oldest; r; r = r->next)
        for (int i = 0; i < r->team->size; i++)
            if (r->mapped[i]) bytes += armcii_memory_touched(r->mapped[i], r->bytes[i]);
    return bytes;
}

/* The estimate of the memory that regions use may be too low: correct it before refusing. */
static bool reserve(size_t bytes, size_t *left)
{
    if (armcii_reservation_try(bytes, left)) return true;
    armcii_reservation_correct(count_touched());
    return armcii_reservation_try(bytes, left);
}

enum { CREDIT = 1 << 24 }; /* bytes */

/* Reserve memory for the slices of this node and agree on success with all members, since an MPI library may take minutes to report a
 * shortage, or kill the job. */
static bool reserve_on_all_nodes(struct region *r, size_t here, bool counts)
{
    struct team *team = r->team;
    enum { ASKED, LEFT_NEGATED, REST_NEGATED, WORDS };
    int64_t mine[WORDS] = {0, INT64_MIN, INT64_MIN}, worst[WORDS];
    size_t left = 0;
    bool fits = !counts || reserve(here, &left);
    int64_t asked = here > INT64_MAX ? INT64_MAX : (int64_t)here, has = left > INT64_MAX ? INT64_MAX : (int64_t)left;
    if (counts && fits) mine[REST_NEGATED] = asked - has;
    if (!fits) memcpy(mine, (int64_t[]){asked, -has}, 2 * sizeof mine[0]);
    armcii_coll_allreduce(mine, worst, WORDS, MPI_INT64_T, MPI_MAX, team->comm);
    if (worst[ASKED] == 0) {
        team->credit = worst[REST_NEGATED] > -CREDIT ? (size_t)-worst[REST_NEGATED] : CREDIT;
        return true;
    }
    if (fits) armcii_reservation_release(r->reserved);
    armcii_warn("%jd MiB requested on a node, %jd MiB available", (intmax_t)worst[ASKED] >> 20, -(intmax_t)worst[LEFT_NEGATED] >> 20);
    return false;
}

/* Reserve memory for all slices.  All members know all sizes, so they agree on whether to query the system: only when the regions created
 * since the last query exceed the team's credit. */
static bool reserve_slices(struct region *r)
{
    struct team *team = r->team;
    size_t here;
    bool counts;
    r->total = sum_slices(r, &here, &counts);
    r->reserved = counts ? here : 0;
    if (r->total > team->credit) return reserve_on_all_nodes(r, here, counts);
    team->credit -= r->total;
    armcii_reservation_add(r->reserved);
    return true;
}

static void release_reservation(const struct region *r)
{
    struct team *team = r->team;
    armcii_reservation_release(r->reserved);
    team->credit = r->total < CREDIT - team->credit ? team->credit + r->total : CREDIT;
}

static void exchange_bases(struct region *r)
{
    int me = r->team->rank;
    char *mine = r->mapped[me] ? r->mapped[me] : r->base[me];
    if (armcii_config->debug_alloc && mine) memset(mine, 0xa5, r->bytes[me]);
    armcii_team_allgather(r->team, &mine, r->base, (int)sizeof mine);
}

/* 0, or nonzero on every member. */
static int create_memory(struct region *r)
{
    armcii_route_region(r);
    if (r->near->contiguous->region_alloc(r) != 0) return -1;
    exchange_bases(r);
    return armcii_region_attach(r);
}

static void add_slices(struct region *r)
{
    for (int i = 0; i < r->team->size; i++)
        if (r->bytes[i] > 0) armcii_directory_add(r->team->to_world[i], r->base[i], r->bytes[i], r, r->mapped[i]);
}

static void remove_slices(const struct region *r)
{
    for (int i = 0; i < r->team->size; i++)
        if (r->bytes[i] > 0) armcii_directory_remove(r->team->to_world[i], r->base[i], r);
}

struct region *armcii_region_create(struct team *team, long bytes, bool *is_empty)
{
    size_t largest;
    struct region *r = allocate_tables(team);
    bool valid = exchange_sizes(r, bytes, &largest);
    *is_empty = valid && largest == 0;
    if (!valid || largest == 0 || !reserve_slices(r)) {
        free_tables(r);
        return NULL;
    }
    if (create_memory(r) != 0) {
        armcii_reservation_release(r->reserved);
        team->credit = 0; /* the next creation queries the system */
        free_tables(r);
        return NULL;
    }
    armcii_team_hold(team);
    add_slices(r);
    list_append(r);
    return r;
}

void armcii_region_free(struct region *r)
{
    remove_slices(r);
    list_remove(r);
    armcii_region_detach(r);
    release_reservation(r);
    armcii_team_release(r->team);
    free_tables(r);
}

static int first_slice(const struct region *r)
{
    int first = 0;
    while (r->bytes[first] == 0)
        first++;
    return first;
}

static bool goes_before(const struct region *a, const struct region *b)
{
    int i = first_slice(a), j = first_slice(b), p = a->team->to_world[i], q = b->team->to_world[j];
    return p != q ? p < q : (uintptr_t)a->base[i] < (uintptr_t)b->base[j];
}

/* Threads may have created regions in different orders: all members free in the order of processes and addresses. */
void armcii_regions_free_all(void)
{
    while (oldest) {
        struct region *first = oldest;
        for (struct region *r = oldest; r; r = r->next)
            if (goes_before(r, first)) first = r;
        armcii_region_free(first);
    }
}

/* Compares more than the address: once other members have freed it, another thread may have created a region there. */
static struct region *find_in_team(const struct team *team, int first, const char *base)
{
    struct region *r = oldest;
    while (r && (r->team != team || first_slice(r) != first || r->base[first] != base))
        r = r->next;
    return r;
}

/* The owner and the address of the first nonempty slice identify a region within its team.  Region numbers do not, since each process
 * counts its own regions. */
bool armcii_region_agree(struct team *team, struct region *own, struct region **agreed)
{
    enum { MEMBER, MEMBER_NEGATED, BASE, BASE_NEGATED, WORDS }; /* the maximum of a negated word gives the minimum of the word */
    int64_t said[WORDS] = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN}, highest[WORDS];
    if (own) {
        int first = first_slice(own);
        int64_t base = (intptr_t)own->base[first];
        memcpy(said, (int64_t[WORDS]){first, -first, base, -base}, sizeof said);
    }
    armcii_coll_allreduce(said, highest, WORDS, MPI_INT64_T, MPI_MAX, team->comm);
    bool named = highest[MEMBER] != INT64_MIN;
    if (named && (highest[MEMBER] != -highest[MEMBER_NEGATED] || highest[BASE] != -highest[BASE_NEGATED])) return false;
    if (named && !own) own = find_in_team(team, (int)highest[MEMBER], (const char *)(intptr_t)highest[BASE]);
    *agreed = own;
    return true;
}

struct region *armcii_region_of_base(const void *base)
{
    struct raddr raddr;
    if (!armcii_region_locate(armcii_world->rank, base, &raddr)) return NULL;
    return raddr.lo == base && !raddr.region->memget ? raddr.region : NULL;
}
