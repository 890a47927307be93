/* region.c - creating, freeing and finding regions. */
#include "mem/region.h"

#include <armcix.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/log.h"
#include "node/agree.h"
#include "node/range.h"
#include "mpi/coll.h"
#include "transport/route.h"
#include "node/heap.h"
#include "node/node.h"
#include "node/cpus.h"
#include "mpi/world.h"

/* A region, with what only this file needs. */
struct entry {
    struct region region;
    bool has_empty;    /* a slice has 0 bytes */
    bool shares_bytes; /* its table of bytes is the node's (node/range.h) */
    size_t total;      /* bytes of all slices; at most SIZE_MAX */
    size_t reserved; /* bytes of this node's memory that this process accounts for (node/node.h) */
    struct entry *previous, *next;
};

static struct {
    struct entry *oldest, *newest;
} regions;

static struct entry *entry_of(const struct region *r)
{
    return (struct entry *)(uintptr_t)r;
}

static void list_append(struct entry *e)
{
    e->previous = regions.newest;
    e->next = NULL;
    if (regions.newest)
        regions.newest->next = e;
    else
        regions.oldest = e;
    regions.newest = e;
}

static void list_remove(const struct entry *e)
{
    *(e->previous ? &e->previous->next : &regions.oldest) = e->next;
    *(e->next ? &e->next->previous : &regions.newest) = e->previous;
}

/* Why the last creation of the thread has failed, if it has. */
static _Thread_local char refusal[128];

/* Returns -1, for a failure. */
__attribute__((format(printf, 1, 2))) static int refuse(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(refusal, sizeof refusal, format, args);
    va_end(args);
    return -1;
}

static void *allocate_table(const struct region *r, size_t entry)
{
    return armcii_alloc((size_t)r->team->size, entry, "the tables of a region of %d processes",
                        r->team->size);
}

static struct region *new_region(struct team *team)
{
    struct entry *e = armcii_alloc(1, sizeof *e, "a region");
    e->region.team = team;
    e->region.mode = ARMCIX_MODE_ALL;
    return &e->region;
}

static void free_sizes(struct region *r)
{
    if (entry_of(r)->shares_bytes)
        armcii_team_unshare(r->bytes);
    else
        free(r->bytes);
    r->bytes = NULL;
    entry_of(r)->shares_bytes = false;
}

static void free_tables(struct region *r)
{
    free_sizes(r);
    free(r->base);
    free(r->runs);
    free(r);
}

/* Regular distributions of arrays have few runs of equal sizes. With so few in each process they
 * need less than a table once on a node, if that has up to 16 processes. */
enum { ENTRIES_OF_A_RUN = 32 };

static void find_runs(struct region *r)
{
    int members = r->team->size, count = 1;
    for (int i = 1; i < members; i++)
        count += r->bytes[i] != r->bytes[i - 1];
    if (count > members / ENTRIES_OF_A_RUN) return;
    r->runs = armcii_alloc(1, sizeof *r->runs + (size_t)count * sizeof r->runs->run[0],
                           "the tables of a region of %d processes", members);
    for (int i = 0; i < members; i++)
        if (i + 1 == members || r->bytes[i + 1] != r->bytes[i])
            r->runs->run[r->runs->n++] = (struct slice_run){i + 1, r->bytes[i]};
}

/* Equal sizes need no table; false if one is negative. */
static bool exchange_sizes(struct region *r, long bytes)
{
    enum { LARGEST, SMALLEST_NEGATED, WORDS };
    int64_t mine[WORDS] = {bytes, bytes < 0 ? 1 : -bytes}, extreme[WORDS];
    armcii_agree(r->team, mine, extreme, WORDS);
    if (extreme[SMALLEST_NEGATED] > 0) return false;
    r->largest = (size_t)extreme[LARGEST];
    entry_of(r)->has_empty = extreme[SMALLEST_NEGATED] == 0;
    if (extreme[LARGEST] == -extreme[SMALLEST_NEGATED]) return true;
    r->bytes = armcii_team_share(r->team, (size_t)bytes);
    entry_of(r)->shares_bytes = r->bytes != NULL;
    if (!r->bytes) {
        r->bytes = allocate_table(r, sizeof r->bytes[0]);
        armcii_coll_allgather(&bytes, r->bytes, (int)sizeof bytes, r->team->comm);
    }
    find_runs(r);
    return true;
}

/* ---- reservations ---- */

/* Saturates at SIZE_MAX. */
static size_t saturated_sum(size_t a, size_t b)
{
    return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

static size_t pages_of(size_t bytes)
{
    enum { PAGE = 4096 };
    return (bytes + PAGE - 1) / PAGE * PAGE; /* sizes are positive longs: no overflow */
}

/* The bytes of all slices, in whole pages; *here: of the slices of this node; *counts: this process
 * is the first member of this node, which reserves them. */
static size_t sum_slices(const struct region *r, size_t *here, bool *counts)
{
    const struct team *team = r->team;
    size_t all = 0;
    *here = 0;
    *counts = false;
    for (int i = team->size - 1; i >= 0; i--) {
        size_t pages = pages_of(armcii_slice_bytes(r, i));
        all = saturated_sum(all, pages);
        if (!armcii_world_is_on_node(team->to_world[i])) continue;
        *here = saturated_sum(*here, pages);
        *counts = i == team->rank;
    }
    return all;
}

enum { UNCHECKED_MAX = 1 << 24 }; /* bytes */

/* Reserve memory for the slices of this node and agree on success with all members, since an MPI
 * library may take minutes to report a shortage, or kill the job. */
static bool reserve_on_all_nodes(struct region *r, size_t here, bool counts)
{
    struct team *team = r->team;
    enum { ASKED, LEFT_NEGATED, REST_NEGATED, WORDS };
    int64_t mine[WORDS] = {0, INT64_MIN, INT64_MIN}, worst[WORDS];
    size_t left = 0;
    bool fits = !counts || armcii_reservation_try(here, armcii_heap_touched(), &left);
    int64_t asked = here > INT64_MAX ? INT64_MAX : (int64_t)here,
            has = left > INT64_MAX ? INT64_MAX : (int64_t)left;
    if (counts && fits) mine[REST_NEGATED] = asked - has;
    if (!fits) memcpy(mine, (int64_t[]){asked, -has}, 2 * sizeof mine[0]);
    armcii_agree(team, mine, worst, WORDS);
    if (worst[ASKED] == 0 && worst[REST_NEGATED] == INT64_MIN)
        return true; /* no member needed a reservation, so none asked the system */
    if (worst[ASKED] == 0) {
        team->unchecked =
            worst[REST_NEGATED] > -UNCHECKED_MAX ? (size_t)-worst[REST_NEGATED] : UNCHECKED_MAX;
        return true;
    }
    if (counts && fits) armcii_reservation_release(here);
    refuse("out of memory: %jd MiB requested on a node, %jd MiB available",
           (intmax_t)worst[ASKED] >> 20, -(intmax_t)worst[LEFT_NEGATED] >> 20);
    return false;
}

/* True if slices of a range have equal sizes: nobody need look at each. */
static bool is_equal_range(const struct region *r)
{
    return r->range.stride > 0 && !r->bytes && !r->runs;
}

/* The pages that the region has reserved here are in use, or else kept, from now on. */
static void set_pages_used(const struct region *r, bool used)
{
    if (r->range.stride == 0 || !armcii_range_keeps_pages(&r->range)) return;
    (used ? armcii_heap_use_kept : armcii_heap_keep)(entry_of(r)->reserved);
}

/* Reserve memory for all slices. All members know all sizes, so they agree on whether to query the
 * system: only when the regions created since the last query exceed what the team may take
 * unchecked. */
static bool reserve_slices(struct region *r)
{
    struct entry *e = entry_of(r);
    struct team *team = r->team;
    size_t here;
    bool counts;
    if (is_equal_range(r)) {
        e->total = armcii_range_on_node(team, r->largest);
        here = (size_t)team->agreement->here * r->range.stride;
        counts = team->agreement->local_rank == 0;
    } else {
        e->total = sum_slices(r, &here, &counts);
    }
    e->reserved = counts ? here : 0;
    set_pages_used(r, true);
    if (e->total > team->unchecked) {
        if (reserve_on_all_nodes(r, here, counts)) return true;
        set_pages_used(r, false);
        return false;
    }
    team->unchecked -= e->total;
    armcii_reservation_add(e->reserved);
    return true;
}

/* Memory that was touched, and that the heap keeps, is not free. */
static void release_reservation(const struct region *r)
{
    const struct entry *e = entry_of(r);
    struct team *team = r->team;
    armcii_reservation_release(e->reserved);
    set_pages_used(r, false);
    team->unchecked =
        e->total < UNCHECKED_MAX - team->unchecked ? team->unchecked + e->total : UNCHECKED_MAX;
}

/* Before other members can access it. */
static void fill_own_slice(const struct region *r)
{
    const int me = r->team->rank;
    if (!armcii_config->debug_alloc) return;
    if (armcii_slice_bytes(r, me) > 0)
        memset(armcii_region_base(r, me), 0xa5, armcii_slice_bytes(r, me));
    armcii_coll_barrier(r->team->comm);
}

/* 0, or nonzero on every member. */
static int create_memory(struct region *r)
{
    const bool in_heap = r->range.stride > 0;
    if (!in_heap && !r->near->contiguous->region_attach)
        return refuse("no room for %zu bytes on each process of a group of %d in the heap",
                      r->largest, r->team->size);
    if (!in_heap) r->base = allocate_table(r, sizeof r->base[0]);
    if (armcii_region_attach(r) != 0)
        return refuse("the MPI library makes no window for a group of %d", r->team->size);
    fill_own_slice(r);
    return 0;
}

static void add_slices(struct region *r)
{
    if (r->range.stride > 0) armcii_lookup_add_offset(r);
    for (int i = 0; i < r->team->size && r->range.stride == 0; i++) {
        size_t bytes = armcii_slice_bytes(r, i);
        if (bytes > 0) armcii_lookup_add(r->team->to_world[i], r->base[i], bytes, r, false);
    }
}

static void remove_slices(const struct region *r)
{
    if (r->range.stride > 0) armcii_lookup_remove_offset(r);
    for (int i = 0; i < r->team->size && r->range.stride == 0; i++)
        if (armcii_slice_bytes(r, i) > 0) armcii_lookup_remove(r->team->to_world[i], r->base[i], r);
}

/* No member accesses it any more. */
static void free_range(const struct region *r)
{
    if (r->range.stride > 0) armcii_range_free(r->team, &r->range);
}

static struct region *abandon(struct region *r)
{
    free_range(r);
    free_tables(r);
    return NULL;
}

/* True if a transport makes windows for such regions: small ones share those. */
static bool has_window(const struct region *r)
{
    return r->far->contiguous->region_attach || r->far->atomic->region_attach ||
           r->near->atomic->region_attach;
}

struct region *armcii_region_create(struct team *team, long bytes, const char **why)
{
    struct region *r = new_region(team);
    bool valid = exchange_sizes(r, bytes);
    *why = valid && r->largest == 0 ? NULL : refusal;
    if (!valid) refuse("another process requests a negative size");
    if (!valid || !*why) {
        free_tables(r);
        return NULL;
    }
    armcii_route_region(r);
    armcii_range_alloc(r->team, r->largest, has_window(r), &r->range);
    if (!reserve_slices(r)) return abandon(r);
    if (create_memory(r) != 0) {
        release_reservation(r);
        team->unchecked = 0; /* the next creation queries the system */
        return abandon(r);
    }
    armcii_team_hold(team);
    add_slices(r);
    if (r->runs) free_sizes(r); /* no member writes there before all enter the next agreement */
    list_append(entry_of(r));
    return r;
}

/* `frees_range`: others may have the memory now. */
static void end_region(struct region *r, bool frees_range)
{
    remove_slices(r);
    list_remove(entry_of(r));
    armcii_region_detach(r);
    release_reservation(r);
    if (frees_range) free_range(r);
    armcii_team_release(r->team);
    free_tables(r);
}

/* A process without a slice may have learnt only now which region to complete. */
void armcii_region_free(struct region *r)
{
    if (entry_of(r)->has_empty && r->range.stride > 0) armcii_coll_barrier(r->team->comm);
    end_region(r, true);
}

static int first_slice(const struct region *r)
{
    int first = 0;
    while (armcii_slice_bytes(r, first) == 0)
        first++;
    return first;
}

/* By the first process with a slice, then by its address. */
static int compare_regions(const void *left, const void *right)
{
    const struct region *a = *(struct region *const *)left, *b = *(struct region *const *)right;
    int i = first_slice(a), j = first_slice(b), p = a->team->to_world[i], q = b->team->to_world[j];
    if (p != q) return p < q ? -1 : 1;
    uintptr_t x = (uintptr_t)armcii_region_base(a, i), y = (uintptr_t)armcii_region_base(b, j);
    return (x > y) - (x < y);
}

/* Threads may have created regions in different orders, but all members have to free them in the
 * same order. Ranges end with the heap: to give each back to the system takes longer. */
void armcii_regions_free_all(void)
{
    size_t count = 0, n = 0;
    for (const struct entry *e = regions.oldest; e; e = e->next)
        count++;
    if (count == 0) return;
    struct region **list = armcii_alloc(count, sizeof *list, "a list of %zu regions", count);
    for (struct entry *e = regions.oldest; e; e = e->next)
        list[n++] = &e->region;
    qsort(list, count, sizeof *list, compare_regions);
    for (size_t i = 0; i < count; i++)
        end_region(list[i], false);
    free(list);
}

/* True if that is the team's region whose first slice that is not empty is there. */
static bool is_named(const struct region *r, const struct team *team, int first, const char *base)
{
    return r->team == team && first_slice(r) == first && armcii_region_base(r, first) == base;
}

/* Mostly the index still has it; not where other members have freed it and another thread has
 * created a region at its address. */
static struct region *find_in_team(const struct team *team, int first, const char *base)
{
    struct raddr raddr;
    if (armcii_lookup(team->to_world[first], base, &raddr) && !raddr.region->memget &&
        is_named(raddr.region, team, first, base))
        return raddr.region;
    for (struct entry *e = regions.oldest; e; e = e->next)
        if (is_named(&e->region, team, first, base)) return &e->region;
    return NULL;
}

/* The owner and the address of the first nonempty slice identify a region within its team. Region
 * numbers do not, since each process counts its own regions. */
bool armcii_region_agree(struct team *team, struct region *own, struct region **agreed)
{
    enum {
        MEMBER,
        MEMBER_NEGATED,
        BASE,
        BASE_NEGATED,
        WORDS
    }; /* the maximum of a negated word gives the minimum of the word */
    int64_t said[WORDS] = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN}, highest[WORDS];
    if (own) {
        int first = first_slice(own);
        int64_t base = (intptr_t)armcii_region_base(own, first);
        memcpy(said, (int64_t[WORDS]){first, -first, base, -base}, sizeof said);
    }
    armcii_agree(team, said, highest, WORDS);
    bool named = highest[MEMBER] != INT64_MIN;
    if (named &&
        (highest[MEMBER] != -highest[MEMBER_NEGATED] || highest[BASE] != -highest[BASE_NEGATED]))
        return false;
    if (named && !own)
        own = find_in_team(team, (int)highest[MEMBER], (const char *)(intptr_t)highest[BASE]);
    *agreed = own;
    return true;
}

struct region *armcii_region_of_base(const void *base)
{
    struct raddr raddr;
    if (!armcii_lookup(armcii_world->rank, base, &raddr)) return NULL;
    return raddr.lo == base && !raddr.region->memget ? raddr.region : NULL;
}
