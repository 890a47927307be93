/* directory.c - what is where. */
#include "gmr/directory.h"

#include "base/error.h"
#include "gmr/index.h"
#include "team/world.h"

static struct index *by_address;

void armcii_directory_start(void)
{
    by_address = armcii_index_create(armcii_world->size);
    if (!by_address) armcii_fatal("out of memory for the address index of %d processes", armcii_world->size);
}

void armcii_directory_end(void)
{
    armcii_index_free(by_address);
    by_address = NULL;
}

void armcii_directory_add(int process, void *base, size_t bytes, struct region *region)
{
    uintptr_t lo = (uintptr_t)base;
    armcii_index_remove(by_address, process, lo, lo + bytes);
    if (!armcii_index_insert(by_address, process, (struct interval){lo, lo + bytes, region}))
        armcii_fatal("out of memory for the address index");
}

void armcii_directory_remove(int process, void *base, size_t bytes)
{
    armcii_index_remove(by_address, process, (uintptr_t)base, (uintptr_t)base + bytes);
}

bool armcii_region_locate(int process, const void *address, struct place *place)
{
    const struct interval *i = armcii_index_find(by_address, process, (uintptr_t)address);
    if (!i) return false;
    place->region = i->region;
    place->rank = i->region->team->from_world[process];
    place->lo = (char *)i->lo;
    place->hi = (char *)i->hi;
    place->origin = i->region->attached ? NULL : place->lo - i->region->lead[place->rank];
    return true;
}
