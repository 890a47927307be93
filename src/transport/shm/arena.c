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

/* Addresses that hold nothing in usual processes of 47, 48 and 39 bits, and the bytes of a slot
 * there. */
static const struct arena candidates[] = {
    {(char *)0x200000000000, (size_t)16 << 30},
    {(char *)0x400000000000, (size_t)16 << 30},
    {(char *)0x1000000000, (size_t)1 << 30},
};

/* Of the caller's slot. */
enum { WORD = 64, MAX_UNITS = 4096, PAGE = 4096, UNIT_PAGES = ARENA_UNIT / PAGE };
static uint64_t used[MAX_UNITS / WORD]; /* units that a team has */
static uint64_t *reserved;              /* pages that memory is reserved for; see reserved_pages */
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

static bool map_arena(void)
{
    int flags = MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    void *memory =
        mmap(the_arena.base, arena_bytes(), PROT_READ | PROT_WRITE, flags, descriptor, 0);
    if (memory == the_arena.base) {
        madvise(memory, arena_bytes(),
                MADV_DONTDUMP); /* core dumps would contain the untouched memory, too */
        return true;
    }
    if (memory != MAP_FAILED)
        munmap(memory, arena_bytes()); /* a kernel without MAP_FIXED_NOREPLACE */
    return false;
}

static void close_descriptor(void)
{
    if (descriptor >= 0) close(descriptor);
    descriptor = -1;
}

/* The result is the same on all processes; `wanted` need not be. */
static bool try_candidate(const struct arena *candidate, bool wanted)
{
    the_arena = *candidate;
    descriptor = armcii_segment_share(arena_bytes(), armcii_node->comm);
    bool mapped = wanted && descriptor >= 0 && map_arena();
    if (armcii_coll_all(mapped, armcii_world->all)) return true;
    if (mapped) munmap(the_arena.base, arena_bytes());
    close_descriptor();
    the_arena = (struct arena){0};
    return false;
}

void armcii_arena_start(void)
{
    if (armcii_node->kind != SEGMENT_MEMFD) return;
    bool wanted = !is_address_space_limited();
    memset(used, 0, sizeof used);
    size_t n = sizeof candidates / sizeof candidates[0], i = 0;
    while (i < n && !try_candidate(&candidates[i], wanted))
        i++;
}

void armcii_arena_end(void)
{
    free(reserved);
    reserved = NULL;
    if (the_arena.slot == 0) return;
    munmap(the_arena.base, arena_bytes());
    close_descriptor();
    the_arena = (struct arena){0};
}

/* ---- units ---- */

/* The number of bits in [first, first + n) that are set. */
static size_t count_bits(const uint64_t bits[], size_t first, size_t n)
{
    size_t count = 0;
    for (size_t i = first; i < first + n; i++)
        count += bits[i / WORD] >> i % WORD & 1;
    return count;
}

static void set_bits(uint64_t bits[], size_t first, size_t n, bool value)
{
    for (size_t i = first; i < first + n; i++) {
        uint64_t bit = (uint64_t)1 << i % WORD;
        bits[i / WORD] = value ? bits[i / WORD] | bit : bits[i / WORD] & ~bit;
    }
}

/* The first of `units` free units in a row; the search begins `skipped` units below the highest,
 * and goes on there from the lowest. SIZE_MAX if there are none. */
static size_t find_free(const uint64_t bits[], size_t units, size_t skipped)
{
    size_t all = the_arena.slot / ARENA_UNIT, places = all >= units ? all - units + 1 : 0;
    for (size_t i = 0; i < places; i++) {
        size_t first = places - 1 - (skipped + i) % places;
        if (count_bits(bits, first, units) == 0) return first;
    }
    return SIZE_MAX;
}

/* Where the search begins.  Another thread of a member may take the same units for another team at
 * the same time: then both teams try again, from different places. */
static size_t skipped_by(const struct team *team, size_t attempt)
{
    uint64_t name = (uint64_t)(unsigned)team->to_world[0] << 32 | (unsigned)team->root_tag;
    return attempt == 0 ? 0 : (size_t)((name + attempt) * 0x9e3779b97f4a7c15u >> 32);
}

size_t armcii_arena_acquire(const struct team *team, size_t units)
{
    for (size_t attempt = 0;; attempt++) {
        uint64_t mine[MAX_UNITS / WORD], all[MAX_UNITS / WORD];
        memcpy(mine, used, sizeof mine);
        armcii_coll_allreduce(mine, all, MAX_UNITS / WORD, MPI_UINT64_T, MPI_BOR, team->comm);
        size_t first = find_free(all, units, skipped_by(team, attempt));
        if (first == SIZE_MAX) return SIZE_MAX;
        bool taken = count_bits(used, first, units) == 0;
        if (taken) set_bits(used, first, units, true);
        if (armcii_coll_all(taken, team->comm)) {
            madvise(armcii_arena_address(armcii_world->rank, first * ARENA_UNIT),
                    units * ARENA_UNIT, MADV_DODUMP);
            return first * ARENA_UNIT;
        }
        if (taken) set_bits(used, first, units, false);
    }
}

void armcii_arena_release(size_t offset, size_t units)
{
    set_bits(used, offset / ARENA_UNIT, units, false);
}

/* ---- memory ---- */

/* 512 KiB, of which a job touches little. */
static uint64_t *reserved_pages(void)
{
    if (!reserved)
        reserved = armcii_alloc(MAX_UNITS * UNIT_PAGES / WORD, sizeof *reserved, "the arena");
    return reserved;
}

static size_t count_pages(size_t offset, size_t bytes)
{
    return bytes == 0 ? 0 : (offset + bytes - 1) / PAGE - offset / PAGE + 1;
}

size_t armcii_arena_unreserved(size_t offset, size_t bytes)
{
    size_t pages = count_pages(offset, bytes);
    return (pages - count_bits(reserved_pages(), offset / PAGE, pages)) * PAGE;
}

void armcii_arena_set_reserved(size_t offset, size_t bytes)
{
    set_bits(reserved_pages(), offset / PAGE, count_pages(offset, bytes), true);
}

/* The reserved pages of [begin, end) in the slot are reserved no longer. */
static void drop_pages(size_t begin, size_t end)
{
    size_t first = begin / PAGE, pages = (end - begin) / PAGE;
    armcii_reservation_release(count_bits(reserved_pages(), first, pages) * PAGE);
    set_bits(reserved_pages(), first, pages, false);
}

void armcii_arena_drop_untouched(size_t offset, size_t bytes)
{
    size_t slot = (size_t)(armcii_arena_address(armcii_world->rank, 0) - the_arena.base),
           at = offset, end = offset + bytes / PAGE * PAGE;
    while (at < end) {
        off_t found = lseek(descriptor, (off_t)(slot + at), SEEK_DATA); /* -1: no data follow */
        size_t data = found < 0 || (size_t)found - slot > end ? end : (size_t)found - slot;
        drop_pages(at, data);
        at = data < end ? (size_t)lseek(descriptor, (off_t)(slot + data), SEEK_HOLE) - slot : end;
    }
}

size_t armcii_arena_touched(void)
{
    struct stat status;
    return descriptor >= 0 && fstat(descriptor, &status) == 0 ? (size_t)status.st_blocks * 512 : 0;
}
