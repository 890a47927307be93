/* arena.c - one shared memory segment for the small regions of a whole job. */
#define _GNU_SOURCE
#include "transport/shm/arena.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "mpi/coll.h"
#include "transport/shm/node.h"

static struct arena the_arena;
const struct arena *const armcii_arena = &the_arena;

/* Addresses that hold nothing in usual processes of 47, 48 and 39 bits, and the bytes of a slot there. */
static const struct arena candidates[] = {
    {(char *)0x200000000000, (size_t)16 << 30},
    {(char *)0x400000000000, (size_t)16 << 30},
    {(char *)0x1000000000, (size_t)1 << 30},
};

/* Of the caller's slot. */
enum { WORD = 64, MAX_UNITS = 4096 };
static uint64_t used[MAX_UNITS / WORD];      /* units that a team has */
static unsigned lowest_allocated[MAX_UNITS]; /* offset in the unit, which fills from its end; ARENA_UNIT: never allocated */
static int descriptor = -1;

static size_t arena_bytes(void)
{
    return (size_t)armcii_node->size * the_arena.slot;
}

/* ---- start and end ---- */

/* A limit of the address space must leave room for the program. */
static bool is_address_space_limited(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/* Core dumps would contain the untouched memory, too. */
static bool map_arena(void)
{
    void *memory =
        mmap(the_arena.base, arena_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, descriptor, 0);
    if (memory == the_arena.base) return madvise(memory, arena_bytes(), MADV_DONTDUMP) == 0;
    if (memory != MAP_FAILED) munmap(memory, arena_bytes()); /* a kernel without MAP_FIXED_NOREPLACE */
    return false;
}

static void close_descriptor(void)
{
    if (descriptor >= 0) close(descriptor);
    descriptor = -1;
}

/* The result is the same on all processes. */
static bool try_candidate(const struct arena *candidate)
{
    the_arena = *candidate;
    bool addressable = (uintptr_t)candidate->base + arena_bytes() <= UINTPTR_MAX / 2;
    descriptor = armcii_segment_share(addressable ? arena_bytes() : 0, armcii_node->comm);
    bool mapped = descriptor >= 0 && map_arena();
    if (armcii_coll_all(mapped, armcii_world->all)) return true;
    if (mapped) munmap(the_arena.base, arena_bytes());
    close_descriptor();
    the_arena = (struct arena){0};
    return false;
}

void armcii_arena_start(void)
{
    bool wanted = armcii_node->kind == SEGMENT_MEMFD && !is_address_space_limited();
    if (!armcii_coll_all(wanted, armcii_world->all)) return;
    memset(used, 0, sizeof used);
    for (size_t i = 0; i < MAX_UNITS; i++)
        lowest_allocated[i] = ARENA_UNIT;
    size_t n = sizeof candidates / sizeof candidates[0], i = 0;
    while (i < n && !try_candidate(&candidates[i]))
        i++;
}

void armcii_arena_end(void)
{
    if (the_arena.slot == 0) return;
    munmap(the_arena.base, arena_bytes());
    close_descriptor();
    the_arena = (struct arena){0};
}

/* ---- units ---- */

static bool is_used(const uint64_t bits[], size_t unit)
{
    return bits[unit / WORD] >> unit % WORD & 1;
}

static bool are_free(const uint64_t bits[], size_t first, size_t units)
{
    for (size_t i = first; i < first + units; i++)
        if (is_used(bits, i)) return false;
    return true;
}

static void mark(size_t first, size_t units, bool in_use)
{
    for (size_t i = first; i < first + units; i++) {
        uint64_t bit = (uint64_t)1 << i % WORD;
        used[i / WORD] = in_use ? used[i / WORD] | bit : used[i / WORD] & ~bit;
    }
}

/* The first of the highest free units in a row that end at or below `top`; SIZE_MAX if there are none. */
static size_t find_free(const uint64_t bits[], size_t units, size_t top)
{
    for (size_t first = top >= units ? top - units + 1 : 0; first-- > 0;)
        if (are_free(bits, first, units)) return first;
    return SIZE_MAX;
}

/* Where the search begins.  Another thread of a member may take the same units for another team at the same time: then both teams try
 * again, each elsewhere. */
static size_t top_of_attempt(const struct team *team, size_t attempt)
{
    size_t units = the_arena.slot / ARENA_UNIT;
    return attempt == 0 ? units : units - ((size_t)team->root_tag * 31 + attempt * 17) % (units / 2);
}

size_t armcii_arena_acquire(const struct team *team, size_t units)
{
    for (size_t attempt = 0;; attempt++) {
        uint64_t mine[MAX_UNITS / WORD], all[MAX_UNITS / WORD];
        memcpy(mine, used, sizeof mine);
        armcii_coll_allreduce(mine, all, MAX_UNITS / WORD, MPI_UINT64_T, MPI_BOR, team->comm);
        size_t first = find_free(all, units, top_of_attempt(team, attempt));
        if (first == SIZE_MAX) return SIZE_MAX;
        bool taken = are_free(used, first, units);
        if (taken) mark(first, units, true);
        if (armcii_coll_all(taken, team->comm)) return first * ARENA_UNIT;
        if (taken) mark(first, units, false);
    }
}

void armcii_arena_release(size_t offset, size_t units)
{
    mark(offset / ARENA_UNIT, units, false);
}

/* ---- memory ---- */

static size_t lesser(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t armcii_arena_new_bytes(size_t offset, size_t bytes)
{
    size_t count = 0, end = offset + bytes;
    while (offset < end) {
        size_t unit = offset / ARENA_UNIT, lowest = unit * ARENA_UNIT + lowest_allocated[unit];
        size_t next = lesser(end, (unit + 1) * ARENA_UNIT);
        if (offset < lowest) count += lesser(next, lowest) - offset;
        offset = next;
    }
    return count;
}

void armcii_arena_allocated(size_t offset, size_t bytes)
{
    size_t end = offset + bytes;
    for (size_t unit = offset / ARENA_UNIT; unit * ARENA_UNIT < end; unit++) {
        size_t begin = offset > unit * ARENA_UNIT ? offset - unit * ARENA_UNIT : 0;
        if (begin < lowest_allocated[unit]) lowest_allocated[unit] = (unsigned)begin;
    }
}

size_t armcii_arena_touched(void)
{
    struct stat status;
    return descriptor >= 0 && fstat(descriptor, &status) == 0 ? (size_t)status.st_blocks * 512 : 0;
}
