/* memory.c - global memory, local memory, access epochs. */
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/entry.h"
#include "base/config.h"
#include "base/lock.h"
#include "mem/region.h"
#include "mpi/coll.h"
#include "mpi/world.h"
#include "core/handle.h"

/* ---- collective ---- */

/* ARMCI_DEBUG_ALLOC=slow: leave at another time than the other members. A program that stores into
 * its slice now, without a barrier, overwrites what those have put there. */
static void leave_late(struct team *team)
{
    enum { STEP = 5000000, STEPS = 4 }; /* nanoseconds */
    static unsigned allocations;
    unsigned turn = (unsigned)team->rank + ++allocations;
    armcii_coll_barrier(team->comm);
    unsigned entries = armcii_lock_suspend();
    nanosleep(&(struct timespec){.tv_nsec = (long)(turn % STEPS) * STEP}, NULL);
    armcii_lock_resume(entries);
}

static int allocate(const char *caller, void **base_ptrs, armci_size_t bytes, bool is_world,
                    const ARMCI_Group *group)
{
    ARMCII_ENTER(caller);
    if (!entered) return ARMCI_ERR_STATE;
    struct team *team = is_world ? armcii_team_world() : armcii_check_group(caller, "group", group);
    if (!team) return ARMCI_ERR_GROUP;
    int rc = armcii_check_pointer(caller, "base_ptrs", base_ptrs);
    if (rc) return rc;
    const char *why;
    struct region *region = armcii_region_create(team, bytes, &why);
    if (!region && bytes < 0) return armcii_check_count(caller, "bytes", bytes);
    if (!region && why) return armcii_error(ARMCI_ERR_MEMORY, caller, "bytes", why, "%ld", bytes);
    for (int i = 0; i < team->size; i++)
        base_ptrs[i] = region ? armcii_region_base(region, i) : NULL;
    if (armcii_config->debug_alloc == ALLOC_SLOW) leave_late(team);
    return 0;
}

int PARMCI_Malloc(void **base_ptrs, armci_size_t bytes)
{
    return allocate(CALLER, base_ptrs, bytes, true, NULL);
}
ARMCII_ALIAS(ARMCI_Malloc, PARMCI_Malloc);

int PARMCI_Malloc_group(void **base_ptrs, armci_size_t bytes, ARMCI_Group *group)
{
    return allocate(CALLER, base_ptrs, bytes, false, group);
}
ARMCII_ALIAS(ARMCI_Malloc_group, PARMCI_Malloc_group);

int PARMCI_Malloc_memdev(void **base_ptrs, armci_size_t bytes, const char *device)
{
    (void)device;
    return allocate(CALLER, base_ptrs, bytes, true, NULL);
}
ARMCII_ALIAS(ARMCI_Malloc_memdev, PARMCI_Malloc_memdev);

int PARMCI_Malloc_group_memdev(void **base_ptrs, armci_size_t bytes, ARMCI_Group *group,
                               const char *device)
{
    (void)device;
    return allocate(CALLER, base_ptrs, bytes, false, group);
}
ARMCII_ALIAS(ARMCI_Malloc_group_memdev, PARMCI_Malloc_group_memdev);

/* The team agrees on the region; a process without a slice has only the world or the group to name
 * it. */
static int release(const char *caller, void *ptr, bool is_world, ARMCI_Group *group)
{
    ARMCII_ENTER(caller);
    if (!entered) return ARMCI_ERR_STATE;
    struct team *team = is_world ? armcii_team_world() : armcii_check_group(caller, "group", group);
    if (!team) return ARMCI_ERR_GROUP;
    struct region *own = ptr ? armcii_region_of_base(ptr) : NULL, *region;
    if (own && !is_world && own->team != team)
        return armcii_error(ARMCI_ERR_GROUP, caller, "group", "the region belongs to another group",
                            "%p", (void *)group);
    if (ptr && !own)
        return armcii_error(ARMCI_ERR_ADDRESS, caller, "ptr",
                            "not the base address of a region in this process", "%p", ptr);
    /* Others may use memory of the heap again when this process has agreed; other memory is freed
     * collectively. Without a slice a process learns only then which region to complete. */
    bool early = own && own->range.stride > 0;
    if (early)
        armcii_complete_region(own);
    else
        armcii_aggregates_flush(-1, false);
    if (!armcii_region_agree(own ? own->team : team, own, &region))
        return armcii_error(ARMCI_ERR_ADDRESS, caller, "ptr",
                            "the processes pass different regions", "%p", ptr);
    if (!region) return 0; /* a region of 0 bytes everywhere */
    if (!early) armcii_complete_region(region);
    armcii_region_free(region);
    return 0;
}

int PARMCI_Free(void *ptr)
{
    return release(CALLER, ptr, true, NULL);
}
ARMCII_ALIAS(ARMCI_Free, PARMCI_Free);

int PARMCI_Free_group(void *ptr, ARMCI_Group *group)
{
    return release(CALLER, ptr, false, group);
}
ARMCII_ALIAS(ARMCI_Free_group, PARMCI_Free_group);

int PARMCI_Free_memdev(void *ptr)
{
    return release(CALLER, ptr, true, NULL);
}
ARMCII_ALIAS(ARMCI_Free_memdev, PARMCI_Free_memdev);

/* ---- local ---- */

void *PARMCI_Malloc_local(armci_size_t bytes)
{
    enum { ALIGNMENT = 64 };
    if (!armcii_is_running(CALLER)) return NULL;
    if (armcii_check_count(CALLER, "bytes", bytes) || bytes == 0) return NULL;
    void *memory =
        aligned_alloc(ALIGNMENT, ((size_t)bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    if (memory && armcii_config->debug_alloc) memset(memory, 0xa5, (size_t)bytes);
    return memory;
}
ARMCII_ALIAS(ARMCI_Malloc_local, PARMCI_Malloc_local);

int PARMCI_Free_local(void *ptr)
{
    free(ptr);
    return 0;
}
ARMCII_ALIAS(ARMCI_Free_local, PARMCI_Free_local);

/* ---- noncollective ---- */

/* Programs move addr and armci_addr past their headers, so the library stores base and size in
 * idlist. */
enum { MEMINFO_BASE = 0, MEMINFO_BYTES = 1 };

static char *base_of(const armci_meminfo_t *meminfo)
{
    return (char *)(intptr_t)meminfo->idlist[MEMINFO_BASE];
}

/* True if base and bytes can describe an allocation. */
static bool is_plausible(const armci_meminfo_t *meminfo)
{
    long base = meminfo->idlist[MEMINFO_BASE], bytes = meminfo->idlist[MEMINFO_BYTES], end;
    return base > 0 && bytes > 0 && !__builtin_add_overflow(base, bytes, &end);
}

void PARMCI_Memget(size_t bytes, armci_meminfo_t *meminfo, int memflg)
{
    ARMCII_ENTER(CALLER);
    if (!entered || armcii_check_pointer(CALLER, "meminfo", meminfo)) return;
    if (bytes == 0 || bytes > (size_t)PTRDIFF_MAX) {
        armcii_error(ARMCI_ERR_COUNT, CALLER, "bytes", "0, or larger than the address space", "%zu",
                     bytes);
        return;
    }
    if (memflg != 0) {
        armcii_error(ARMCI_ERR_ARGUMENT, CALLER, "memflg", "must be 0", "%d", memflg);
        return;
    }
    char *memory = armcii_memget_create(bytes);
    if (!memory) {
        armcii_error(ARMCI_ERR_MEMORY, CALLER, "bytes",
                     armcii_memget_region() || armcii_world->size == 1
                         ? "out of memory"
                         : "the processes of a node share no memory, and this MPI library has no "
                           "dynamic windows",
                     "%zu", bytes);
        return;
    }
    memset(meminfo, 0, sizeof *meminfo);
    meminfo->armci_addr = meminfo->addr = memory;
    meminfo->size = bytes;
    meminfo->cpid = armcii_world->rank;
    meminfo->idlist[MEMINFO_BASE] = (long)(intptr_t)memory;
    meminfo->idlist[MEMINFO_BYTES] = (long)bytes;
}
ARMCII_ALIAS(ARMCI_Memget, PARMCI_Memget);

void *PARMCI_Memat(armci_meminfo_t *meminfo, long offset)
{
    ARMCII_ENTER(CALLER);
    if (!entered || armcii_check_pointer(CALLER, "meminfo", meminfo)) return NULL;
    if (armcii_check_process(CALLER, "meminfo->cpid", meminfo->cpid)) return NULL;
    char *base = base_of(meminfo);
    long bytes = meminfo->idlist[MEMINFO_BYTES];
    bool plausible = is_plausible(meminfo);
    if (plausible && (offset < 0 || offset > bytes)) {
        armcii_error(ARMCI_ERR_RANGE, CALLER, "offset", "beyond the memory", "%ld (of %ld bytes)",
                     offset, bytes);
        return NULL;
    }
    /* Last: where no memory is shared it believes the description, for later transfers, too. */
    if (!plausible || !armcii_memget_learn(meminfo->cpid, base, (size_t)bytes)) {
        armcii_error(ARMCI_ERR_ADDRESS, CALLER, "meminfo", "not memory of ARMCI_Memget",
                     "%p + %ld bytes of process %d", (void *)base, bytes, meminfo->cpid);
        return NULL;
    }
    return base + offset;
}
ARMCII_ALIAS(ARMCI_Memat, PARMCI_Memat);

void PARMCI_Memdt(armci_meminfo_t *meminfo, long offset)
{
    ARMCII_ENTER(CALLER);
    (void)offset; /* nothing to release: the next allocation at the address replaces the index
                     entry */
    if (entered) armcii_check_pointer(CALLER, "meminfo", meminfo);
}
ARMCII_ALIAS(ARMCI_Memdt, PARMCI_Memdt);

void PARMCI_Memctl(armci_meminfo_t *meminfo)
{
    ARMCII_ENTER(CALLER);
    if (!entered || armcii_check_pointer(CALLER, "meminfo", meminfo)) return;
    armcii_quiesce();
    if (meminfo->cpid != armcii_world->rank || !armcii_memget_free(base_of(meminfo))) {
        armcii_error(ARMCI_ERR_ADDRESS, CALLER, "meminfo",
                     "not memory that this process allocated by ARMCI_Memget", "%p",
                     (void *)base_of(meminfo));
        return;
    }
    memset(meminfo, 0, sizeof *meminfo);
}
ARMCII_ALIAS(ARMCI_Memctl, PARMCI_Memctl);

/* ---- access epochs and modes ---- */

/* The region whose slice in this process contains ptr; NULL, with a message, if there is none. */
static struct region *own_region(const char *caller, const void *ptr)
{
    struct raddr raddr;
    int rc = armcii_check_pointer(caller, "ptr", ptr);
    if (rc) return NULL;
    if (armcii_lookup(armcii_world->rank, ptr, &raddr)) return raddr.region;
    armcii_error(ARMCI_ERR_ADDRESS, caller, "ptr", "lies in no region of this process", "%p", ptr);
    return NULL;
}

void PARMCI_Access_begin(void *ptr)
{
    ARMCII_ENTER(CALLER);
    struct region *region = entered ? own_region(CALLER, ptr) : NULL;
    if (!region) return;
    armcii_fence_region(region, armcii_world->rank);
    atomic_thread_fence(memory_order_acquire); /* order later loads after the load that told the
                                                  program of the data */
}
ARMCII_ALIAS(ARMCI_Access_begin, PARMCI_Access_begin);

void PARMCI_Access_end(void *ptr)
{
    ARMCII_ENTER(CALLER);
    struct region *region = entered ? own_region(CALLER, ptr) : NULL;
    if (!region) return;
    armcii_fence_region(region, armcii_world->rank);
    atomic_thread_fence(memory_order_release);
}
ARMCII_ALIAS(ARMCI_Access_end, PARMCI_Access_end);

int PARMCIX_Mode_set(int mode, void *ptr, ARMCI_Group *group)
{
    ARMCII_ENTER(CALLER);
    enum {
        KNOWN = ARMCIX_MODE_ALL | ARMCIX_MODE_CONFLICT_FREE | ARMCIX_MODE_NO_LOAD_STORE |
                ARMCIX_MODE_READ_ONLY | ARMCIX_MODE_ACC_ONLY
    };
    if (!entered) return ARMCI_ERR_STATE;
    if (mode <= 0 || (mode & ~KNOWN))
        return armcii_error(ARMCI_ERR_ARGUMENT, CALLER, "mode",
                            "invalid combination of ARMCIX_MODE_...", "%#x", (unsigned)mode);
    struct team *team = armcii_check_group(CALLER, "group", group);
    if (!team) return ARMCI_ERR_GROUP;
    struct region *region = own_region(CALLER, ptr);
    if (!region) return ARMCI_ERR_ADDRESS;
    if (region->team != team)
        return armcii_error(ARMCI_ERR_GROUP, CALLER, "group", "the region belongs to another group",
                            "%p", ptr);
    armcii_complete_region(region);
    armcii_coll_barrier(team->comm);
    region->mode = mode;
    armcii_lookup_invalidate(); /* no cache has it then: operations meet the check */
    return 0;
}
ARMCII_ALIAS(ARMCIX_Mode_set, PARMCIX_Mode_set);

int PARMCIX_Mode_get(void *ptr)
{
    ARMCII_ENTER(CALLER);
    struct region *region = entered ? own_region(CALLER, ptr) : NULL;
    return region ? region->mode : -1;
}
ARMCII_ALIAS(ARMCIX_Mode_get, PARMCIX_Mode_get);
