/* directory.c - lookup of regions by process and address. */
#include "mem/directory.h"

#include "base/log.h"
#include "base/fault.h"
#include "mem/index.h"
#include "mpi/world.h"

static struct index *by_address;
unsigned armcii_directory_version;

void armcii_directory_start(void)
{
    by_address = armcii_index_create(armcii_world->size);
    armcii_addr_cache_clear();
    if (!by_address) armcii_fatal("out of memory for the address index of %d processes", armcii_world->size);
}

void armcii_directory_end(void)
{
    armcii_directory_version++;
    armcii_index_free(by_address);
    by_address = NULL;
}

void armcii_directory_add(int process, void *base, size_t bytes, struct region *region, char *mapped)
{
    uintptr_t lo = (uintptr_t)base;
    armcii_directory_version++;
    armcii_addr_cache_invalidate(process);
    armcii_index_remove(by_address, process, lo, lo + bytes);
    if (!armcii_index_insert(by_address, process, (struct interval){lo, lo + bytes, region, mapped}))
        armcii_fatal("out of memory for the address index");
}

/* Another thread may have learnt a newer region at this address, if the process has already freed the old one. */
void armcii_directory_remove(int process, void *base, const struct region *region)
{
    const struct interval *i = armcii_index_find(by_address, process, (uintptr_t)base);
    if (!i || i->region != region || i->lo != (uintptr_t)base) return;
    armcii_directory_version++;
    armcii_index_remove(by_address, process, i->lo, i->hi);
    armcii_addr_cache_invalidate(process);
}

/* Fault injection: bytes added to the mapped address. */
static ptrdiff_t fault_offset(const struct interval *i, const void *address)
{
    ptrdiff_t offset = (ptrdiff_t)((uintptr_t)address - i->lo);
    if (armcii_fault("last-region-displaced") && !i->region->next && !i->region->memget) return 8;
    return armcii_fault("offset-truncated") ? (int)offset - offset : 0;
}

bool armcii_region_locate(int process, const void *address, struct raddr *raddr)
{
    const struct interval *i = armcii_index_find(by_address, process, (uintptr_t)address);
    if (!i) return false;
    raddr->region = i->region;
    raddr->rank = i->region->team->from_world[process];
    raddr->lo = (char *)i->lo;
    raddr->hi = (char *)i->hi;
    raddr->mapped = i->mapped;
    raddr->route = i->mapped ? i->region->near : i->region->far;
    if (raddr->mapped) raddr->mapped += fault_offset(i, address);
    if (raddr->route->direct) armcii_addr_cache_insert(process, raddr->lo, (size_t)(raddr->hi - raddr->lo), raddr->mapped);
    return true;
}

/* ---- address cache ---- */

struct addr_cache_entry armcii_addr_cache[ADDR_CACHE_ENTRIES];
static bool is_disabled;

void armcii_addr_cache_insert(int process, const char *lo, size_t bytes, const char *mapped)
{
    if (is_disabled) return;
    armcii_addr_cache[(unsigned)process % ADDR_CACHE_ENTRIES] = (struct addr_cache_entry){process, (uintptr_t)lo, bytes, mapped - lo};
}

void armcii_addr_cache_invalidate(int process)
{
    struct addr_cache_entry *e = &armcii_addr_cache[(unsigned)process % ADDR_CACHE_ENTRIES];
    if (armcii_fault("stale-last-hit")) return;
    if (e->process == process) *e = (struct addr_cache_entry){.process = -1};
}

void armcii_addr_cache_clear(void)
{
    for (int i = 0; i < ADDR_CACHE_ENTRIES; i++)
        armcii_addr_cache[i] = (struct addr_cache_entry){.process = -1};
}

void armcii_addr_cache_enable(bool on)
{
    is_disabled = !on;
    armcii_addr_cache_clear();
}
