/* directory.c - what is where. */
#include "gmr/directory.h"

#include "base/error.h"
#include "base/mutant.h"
#include "gmr/index.h"
#include "gmr/reach.h"
#include "team/world.h"

static struct index *by_address;
unsigned armcii_directory_version;

void armcii_directory_start(void)
{
    by_address = armcii_index_create(armcii_world->size);
    armcii_reach_forget_all();
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
    armcii_reach_forget(process);
    armcii_index_remove(by_address, process, lo, lo + bytes);
    if (!armcii_index_insert(by_address, process, (struct interval){lo, lo + bytes, region, mapped}))
        armcii_fatal("out of memory for the address index");
}

/* A process that has freed it may have something else there, which another thread of this one has learnt. */
void armcii_directory_remove(int process, void *base, const struct region *region)
{
    const struct interval *i = armcii_index_find(by_address, process, (uintptr_t)base);
    if (!i || i->region != region || i->lo != (uintptr_t)base) return;
    armcii_directory_version++;
    armcii_index_remove(by_address, process, i->lo, i->hi);
    armcii_reach_forget(process);
}

/* Faults for the tests' test: bytes that a place is wrong by. */
static ptrdiff_t fault(const struct interval *i, const void *address)
{
    ptrdiff_t offset = (ptrdiff_t)((uintptr_t)address - i->lo);
    if (armcii_mutant("last-region-displaced") && !i->region->next && !i->region->attached) return 8;
    return armcii_mutant("offset-truncated") ? (int)offset - offset : 0;
}

bool armcii_region_locate(int process, const void *address, struct place *place)
{
    const struct interval *i = armcii_index_find(by_address, process, (uintptr_t)address);
    if (!i) return false;
    place->region = i->region;
    place->rank = i->region->team->from_world[process];
    place->lo = (char *)i->lo;
    place->hi = (char *)i->hi;
    place->mapped = i->mapped;
    place->served = i->region->served != NULL;
    if (place->served) {
        place->agent = i->region->served[place->rank].agent;
        place->delta = i->region->served[place->rank].delta;
    }
    place->origin = i->region->attached ? NULL : place->lo - i->region->lead[place->rank];
    ptrdiff_t wrong_by = fault(i, address);
    if (place->mapped) place->mapped += wrong_by;
    if (place->origin) place->origin -= wrong_by;
    if (place->mapped && !i->region->has_window) armcii_reach_remember(process, place->lo, (size_t)(place->hi - place->lo), place->mapped);
    return true;
}
