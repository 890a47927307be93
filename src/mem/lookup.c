/* lookup.c - lookup of regions by process and address: an index of intervals, a cache of
 * slices. */
#include "mem/lookup.h"

#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "base/log.h"
#include "mpi/world.h"
#include "node/arena.h"

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

/* ---- lookup ---- */

enum { PAGE_BITS = 12, BY_PAGE_BITS = 13, PAGE_ENTRIES = 1 << BY_PAGE_BITS };
static struct {
    /* Of each process; behind them, by offset, the regions in the arena. */
    struct index *by_address;
    last_try *ask; /* NULL: nobody */
    /* The slice of the last lookup of a process, or of another one with the same remainder. */
    struct located {
        int process;
        unsigned version;
        struct raddr raddr;
    } located[ADDR_CACHE_ENTRIES];
    /* The address cache: of the thread that owns it, of that thread and of the others by page. */
    const void *owner; /* a thread's identity; NULL: none yet */
    struct addr_cache_entry last[ADDR_CACHE_ENTRIES];
    struct addr_cache_entry by_page[PAGE_ENTRIES], by_page_of_others[PAGE_ENTRIES];
} lookup;
atomic_uint armcii_lookup_version;

void armcii_lookup_start(void)
{
    lookup.by_address = armcii_index_create(armcii_world->size + 1);
    armcii_addr_cache_clear();
    if (!lookup.by_address)
        armcii_fatal("out of memory for the address index of %d processes", armcii_world->size);
}

void armcii_lookup_end(void)
{
    armcii_addr_cache_clear();
    armcii_index_free(lookup.by_address);
    lookup.by_address = NULL;
    lookup.ask = NULL;
}

void armcii_lookup_add(int process, void *base, size_t bytes, struct region *region, bool is_mapped)
{
    uintptr_t lo = (uintptr_t)base;
    armcii_addr_cache_invalidate(process);
    armcii_index_remove(lookup.by_address, process, lo, lo + bytes);
    if (!armcii_index_insert(lookup.by_address, process,
                             (struct interval){lo, lo + bytes, region, is_mapped}))
        armcii_fatal("out of memory for the address index");
}

/* Another thread may have learnt a newer region at this address, if the process has already freed
 * the old one. */
void armcii_lookup_remove(int process, void *base, const struct region *region)
{
    const struct interval *i = armcii_index_find(lookup.by_address, process, (uintptr_t)base);
    if (!i || i->region != region || i->lo != (uintptr_t)base) return;
    armcii_index_remove(lookup.by_address, process, i->lo, i->hi);
    armcii_addr_cache_invalidate(process);
}

void armcii_lookup_add_offset(struct region *region)
{
    armcii_lookup_version++;
    armcii_index_remove(lookup.by_address, armcii_world->size, region->place.offset,
                        region->place.offset + region->place.span);
    struct interval i = {region->place.offset, region->place.offset + region->place.span, region,
                         false};
    if (!armcii_index_insert(lookup.by_address, armcii_world->size, i))
        armcii_fatal("out of memory for the address index");
}

void armcii_lookup_remove_offset(const struct region *region)
{
    const struct interval *i =
        armcii_index_find(lookup.by_address, armcii_world->size, region->place.offset);
    if (i && i->region == region)
        armcii_index_remove(lookup.by_address, armcii_world->size, region->place.offset,
                            region->place.offset + region->place.span);
    armcii_addr_cache_clear();
}

static bool locate_in_arena(int process, const void *address, struct raddr *raddr)
{
    size_t offset = armcii_arena_offset(process, address);
    const struct interval *i =
        offset == SIZE_MAX ? NULL
                           : armcii_index_find(lookup.by_address, armcii_world->size, offset);
    if (!i) return false;
    const struct region *r = i->region;
    int rank = armcii_team_rank(r->team, process);
    if (rank < 0) return false;
    char *lo = armcii_arena_address(process, r->place.offset, r->place.stride);
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
    struct located *last = &lookup.located[(unsigned)process % ADDR_CACHE_ENTRIES];
    if (last->process == process && last->version == armcii_lookup_version &&
        (const char *)address >= last->raddr.lo && (const char *)address < last->raddr.hi) {
        *raddr = last->raddr;
        return true;
    }
    bool in_arena = armcii_arena->slot > 0 && locate_in_arena(process, address, raddr);
    if (!in_arena && !locate_alone(process, address, raddr)) return false;
    raddr->is_assumed = false;
    raddr->route = raddr->is_mapped ? raddr->region->near : raddr->region->far;
    *last = (struct located){process, armcii_lookup_version, *raddr};
    return true;
}

void armcii_lookup_set_last_try(last_try *ask)
{
    lookup.ask = ask;
}

bool armcii_resolve(int process, const void *address, size_t bytes, struct raddr *raddr)
{
    bool found = armcii_lookup(process, address, raddr);
    if (found && bytes <= (size_t)(raddr->hi - (const char *)address)) return true;
    return lookup.ask ? lookup.ask(process, address, bytes, found, raddr) : found;
}

/* ---- address cache ---- */

static const struct addr_cache_entry
    nothing[ADDR_CACHE_ENTRIES]; /* slices of 0 bytes hold nothing */

_Thread_local const struct addr_cache_entry *armcii_addr_cache
    __attribute__((tls_model("initial-exec"))) = nothing;

static bool is_owner(void)
{
    return armcii_addr_cache == lookup.last;
}

void armcii_addr_cache_own(void)
{
    if (!lookup.owner) lookup.owner = armcii_lock_thread_id();
    if (lookup.owner == armcii_lock_thread_id()) armcii_addr_cache = lookup.last;
}

static struct addr_cache_entry *page_entry(int process, const void *address)
{
    uint64_t page = ((uint64_t)process << 40) + ((uintptr_t)address >> PAGE_BITS);
    struct addr_cache_entry *table = is_owner() ? lookup.by_page : lookup.by_page_of_others;
    return &table[page * 0x9e3779b97f4a7c15u >> (64 - BY_PAGE_BITS)];
}

char *armcii_addr_cache_lookup_page(int process, const void *address, size_t bytes)
{
    const struct addr_cache_entry *e = page_entry(process, address);
    if (e->version != atomic_load_explicit(&armcii_lookup_version, memory_order_relaxed))
        return NULL;
    return armcii_addr_cache_in(e, process, address, bytes);
}

char *armcii_addr_cache_lookup_own(int process, const void *address, size_t bytes)
{
    return is_owner() ? armcii_addr_cache_lookup(process, address, bytes) : NULL;
}

char *armcii_addr_cache_lookup_shared(int process, const void *address, size_t bytes)
{
    return is_owner() ? NULL : armcii_addr_cache_lookup_page(process, address, bytes);
}

static void set_entry(struct addr_cache_entry *e, int process, const char *lo, size_t bytes)
{
    e->version = armcii_lookup_version;
    e->lo = (uintptr_t)lo;
    e->bytes = bytes;
    atomic_store_explicit(&e->process, process, memory_order_relaxed);
}

void armcii_addr_cache_insert(int process, const void *address, const char *lo, size_t bytes)
{
    set_entry(page_entry(process, address), process, lo, bytes);
    if (is_owner())
        set_entry(&lookup.last[(unsigned)process % ADDR_CACHE_ENTRIES], process, lo, bytes);
}

void armcii_addr_cache_enter(int process, const void *address, const struct raddr *raddr)
{
    if (raddr->route->direct && !raddr->region->refused)
        armcii_addr_cache_insert(process, address, raddr->lo, (size_t)(raddr->hi - raddr->lo));
}

/* Only the owner writes the other members. No process that is looked up here has this number,
 * which belongs to another entry. */
static void invalidate(struct addr_cache_entry *e)
{
    atomic_store_explicit(&e->process, ~(int)(e - lookup.last), memory_order_relaxed);
}

void armcii_addr_cache_invalidate(int process)
{
    struct addr_cache_entry *e = &lookup.last[(unsigned)process % ADDR_CACHE_ENTRIES];
    armcii_lookup_version++;
    if (e->process == process) invalidate(e);
}

void armcii_addr_cache_clear(void)
{
    armcii_lookup_version++;
    for (int i = 0; i < ADDR_CACHE_ENTRIES; i++)
        invalidate(&lookup.last[i]);
}
