/* lookup.c - lookup of slices by process and address: an index of intervals, a cache of each
 * thread.
 */
#include "mem/lookup.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "mpi/world.h"
#include "node/heap.h"

/* ---- index ---- */

struct list {
    struct interval *
        at; /* descending: the kernel maps new memory below older, so new intervals go to the end */
    size_t n, room;
};

struct index {
    int processes;
    struct list list[]; /* [processes] */
};

struct index *armcii_index_create(int processes)
{
    struct index *x = calloc(1, sizeof *x + (size_t)processes * sizeof x->list[0]);
    if (!x) return NULL;
    x->processes = processes;
    return x;
}

void armcii_index_free(struct index *x)
{
    if (!x) return;
    for (int p = 0; p < x->processes; p++)
        free(x->list[p].at);
    free(x);
}

/* Position of the first interval that begins below `address`. */
static size_t find_below(const struct list *l, uintptr_t address)
{
    size_t low = 0, high = l->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (l->at[middle].lo >= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool make_room(struct list *l)
{
    if (l->n < l->room) return true;
    size_t room = l->room ? 2 * l->room : 8;
    struct interval *at = realloc(l->at, room * sizeof *at);
    if (!at) return false;
    l->at = at;
    l->room = room;
    return true;
}

bool armcii_index_insert(struct index *x, int process, struct interval interval)
{
    struct list *l = &x->list[process];
    if (!make_room(l)) return false;
    size_t i = find_below(l, interval.lo);
    memmove(&l->at[i + 1], &l->at[i], (l->n - i) * sizeof l->at[0]);
    l->at[i] = interval;
    l->n++;
    return true;
}

void armcii_index_remove(struct index *x, int process, uintptr_t lo, uintptr_t hi)
{
    struct list *l = &x->list[process];
    size_t i = find_below(l, hi), end = i;
    while (end < l->n && l->at[end].hi > lo)
        end++;
    if (end == i) return;
    memmove(&l->at[i], &l->at[end], (l->n - end) * sizeof l->at[0]);
    l->n -= end - i;
}

const struct interval *armcii_index_find(struct index *x, int process, uintptr_t address)
{
    const struct list *l = &x->list[process];
    size_t i = find_below(l, address + 1);
    return i == l->n || l->at[i].hi <= address ? NULL : &l->at[i];
}

/* ---- cache of the calling thread ---- */

enum { PAGE_BITS = 12, BY_PAGE_BITS = 12, PAGE_SLICES = 1 << BY_PAGE_BITS };

struct cache {
    struct slice last[LAST_SLICES], by_page[PAGE_SLICES];
};

static struct {
    /* Of each process; behind them, by offset, the regions in the heap. */
    struct index *by_address;
    pthread_key_t key; /* frees the cache of a thread that ends */
    bool has_key;
} lookup;

atomic_uint_fast64_t armcii_lookup_generation = 1;
static const struct slice nothing[LAST_SLICES]; /* of no generation */
_Thread_local const struct slice *armcii_last_slices __attribute__((tls_model("initial-exec"))) =
    nothing;

/* NULL: the thread has not looked up anything. */
static struct cache *own_cache(void)
{
    return armcii_last_slices == nothing ? NULL : (struct cache *)(uintptr_t)armcii_last_slices;
}

static void free_cache(void *cache)
{
    armcii_last_slices = nothing;
    free(cache);
}

/* NULL: there is no memory, so the thread goes without. */
static struct cache *obtain_cache(void)
{
    struct cache *c = own_cache();
    if (c) return c;
    if (!lookup.has_key) lookup.has_key = pthread_key_create(&lookup.key, free_cache) == 0;
    c = lookup.has_key ? calloc(1, sizeof *c) : NULL;
    if (!c) return NULL;
    if (pthread_setspecific(lookup.key, c) != 0) {
        free(c);
        return NULL;
    }
    armcii_last_slices = c->last;
    return c;
}

static struct slice *slice_of_page(struct cache *c, int process, const void *address)
{
    uint64_t page = ((uint64_t)process << 40) + ((uintptr_t)address >> PAGE_BITS);
    return &c->by_page[page * 0x9e3779b97f4a7c15u >> (64 - BY_PAGE_BITS)];
}

bool armcii_page_is_direct(int process, const void *address, size_t bytes)
{
    struct cache *c = own_cache();
    return c && armcii_slice_is_direct(slice_of_page(c, process, address), process, address, bytes);
}

/* By its page: operations have looked at the last slice before. */
static const struct raddr *find_cached(int process, const void *address)
{
    struct cache *c = own_cache();
    return c ? armcii_slice_check(slice_of_page(c, process, address), process, address, 1) : NULL;
}

static void cache_slice(int process, const void *address, const struct raddr *raddr)
{
    struct cache *c = armcii_region_refuses(raddr->region) ? NULL : obtain_cache();
    if (!c) return;
    const bool is_direct = raddr->route->direct;
    const struct slice s = {armcii_lookup_generation, is_direct ? raddr->hi : NULL, process,
                            is_direct ? process : -1, *raddr};
    c->last[(unsigned)process % LAST_SLICES] = s;
    *slice_of_page(c, process, address) = s;
}

void armcii_lookup_invalidate(void)
{
    armcii_lookup_generation++;
}

/* ---- lookup ---- */

void armcii_lookup_start(void)
{
    lookup.by_address = armcii_index_create(armcii_world->size + 1);
    if (!lookup.by_address)
        armcii_fatal("out of memory for the address index of %d processes", armcii_world->size);
}

void armcii_lookup_end(void)
{
    armcii_lookup_invalidate();
    armcii_index_free(lookup.by_address);
    lookup.by_address = NULL;
    if (!own_cache()) return;
    free_cache(own_cache());
    pthread_setspecific(lookup.key, NULL);
}

static void add(int process, struct interval i)
{
    armcii_lookup_invalidate();
    armcii_index_remove(lookup.by_address, process, i.lo, i.hi);
    if (!armcii_index_insert(lookup.by_address, process, i))
        armcii_fatal("out of memory for the address index");
}

/* Another thread may have learnt a newer region at this address, if the process has already freed
 * the old one. */
static void remove_from(int process, uintptr_t lo, const struct region *region)
{
    const struct interval *i = armcii_index_find(lookup.by_address, process, lo);
    if (!i || i->region != region || i->lo != lo) return;
    armcii_index_remove(lookup.by_address, process, i->lo, i->hi);
    armcii_lookup_invalidate();
}

void armcii_lookup_add(int process, void *base, size_t bytes, struct region *region, bool is_mapped)
{
    uintptr_t lo = (uintptr_t)base;
    add(process, (struct interval){lo, lo + bytes, region, is_mapped});
}

void armcii_lookup_remove(int process, void *base, const struct region *region)
{
    remove_from(process, (uintptr_t)base, region);
}

void armcii_lookup_add_offset(struct region *region)
{
    const struct range *r = &region->range;
    add(armcii_world->size, (struct interval){r->offset, r->offset + r->bytes, region, false});
}

void armcii_lookup_remove_offset(const struct region *region)
{
    remove_from(armcii_world->size, region->range.offset, region);
}

static bool locate_in_heap(int process, const void *address, struct raddr *raddr)
{
    size_t offset = armcii_heap_offset(address);
    const struct interval *i =
        offset < armcii_heap->bytes
            ? armcii_index_find(lookup.by_address, armcii_world->size, offset)
            : NULL;
    if (!i) return false;
    const struct region *r = i->region;
    int rank = armcii_team_rank(r->team, process);
    if (rank < 0) return false;
    char *lo = armcii_heap_address(process, r->range.offset, r->range.stride);
    if ((uintptr_t)address - (uintptr_t)lo >= armcii_slice_bytes(r, rank)) return false;
    raddr->region = i->region;
    raddr->rank = rank;
    raddr->lo = lo;
    raddr->hi = lo + armcii_slice_bytes(r, rank);
    raddr->is_mapped = armcii_world_is_on_node(process);
    return true;
}

static bool locate_alone(int process, const void *address, struct raddr *raddr)
{
    const struct interval *i = armcii_index_find(lookup.by_address, process, (uintptr_t)address);
    if (!i) return false;
    raddr->region = i->region;
    raddr->rank = armcii_team_rank(i->region->team, process);
    raddr->lo = (char *)i->lo;
    raddr->hi = (char *)i->hi;
    raddr->is_mapped = i->is_mapped;
    return true;
}

bool armcii_lookup(int process, const void *address, struct raddr *raddr)
{
    const struct raddr *cached = find_cached(process, address);
    if (cached) {
        *raddr = *cached;
        return true;
    }
    bool in_heap = armcii_heap->bytes > 0 && locate_in_heap(process, address, raddr);
    if (!in_heap && !locate_alone(process, address, raddr)) return false;
    raddr->is_assumed = false;
    raddr->route = raddr->is_mapped ? raddr->region->near : raddr->region->far;
    cache_slice(process, address, raddr);
    return true;
}
