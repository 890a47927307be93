/* arena.c - one shared memory segment for the regions of a whole job. */
#define _GNU_SOURCE
#include "node/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "mpi/coll.h"
#include "node/node.h"
#include "node/cpus.h"
#include "node/segment.h"

static struct arena the_arena;
const struct arena *const armcii_arena = &the_arena;

/* Addresses that hold nothing in usual processes of 47, 48 and 39 bits. PMIx and hwloc map files
 * in the middle of the largest gap, a half and a quarter of 0x7f...: that concerns the first two,
 * but not the third. */
static const struct arena candidates[] = {
    {(char *)0x110000000000, (size_t)15 << 40, (size_t)16 << 30},
    {(char *)0x310000000000, (size_t)15 << 40, (size_t)16 << 30},
    {(char *)0x210000000000, (size_t)15 << 40, (size_t)16 << 30},
    {(char *)0x0800000000, (size_t)32 << 30, (size_t)1 << 30},
};

enum { WORD = 64, MOST_UNITS = 4096, PAGE = 4096, SLOT_UNIT = 4 << 20 };

/* What the processes of a node share, behind the slots. */
struct zone_state {
    struct stripe lock;
    uint64_t used[MOST_UNITS / WORD]; /* units of the zone that a team has */
    atomic_size_t drops;              /* number of ranges that were freed */
    struct range {
        size_t offset, bytes;
    } dropped[64]; /* the last of these, from number 0 on in turn */
    struct taken {
        atomic_int owner; /* rank on the node + 1; 0: no process has the unit alone */
        unsigned first;   /* unit of the same memory */
        size_t bytes;     /* of it */
    } taken[MOST_UNITS];
    uint64_t used_of_slot[][MOST_UNITS / WORD]; /* [processes of the node] units of their slots */
};
enum { DROPPED = sizeof((struct zone_state *)NULL)->dropped / sizeof(struct range) };

enum { UNIT_PAGES = SLOT_UNIT / PAGE };
static struct {
    struct zone_state *shared;
    atomic_size_t renewed;   /* ranges that this process has given up */
    pthread_mutex_t telling; /* the MPI library */
    int descriptor;
    uint64_t *used;     /* units of the caller's slot that a team has, in `shared` */
    uint64_t *reserved; /* pages of it that memory is reserved for; see reserved_pages */
} arena = {.telling = PTHREAD_MUTEX_INITIALIZER, .descriptor = -1};

/* Bytes of the zone and the slots, which the shared state follows. */
static size_t memory_bytes(void)
{
    return the_arena.zone + (size_t)armcii_node->size * the_arena.slot;
}

static size_t arena_bytes(void)
{
    return memory_bytes() + sizeof *arena.shared +
           (size_t)armcii_node->size * sizeof arena.shared->used_of_slot[0];
}

/* ---- start and end ---- */

/* A limit of the address space must leave room for the program. */
static bool is_address_space_limited(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/* True if new memory is filled, and kept, since the program has called mlockall. A new page is
 * there then before anybody touches it; not with MCL_ONFAULT, which does no harm. */
static bool fills_new_memory(void)
{
    unsigned char is_there = 0;
    void *page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return false;
    if (mincore(page, PAGE, &is_there) != 0) is_there = 0;
    munmap(page, PAGE);
    return is_there & 1;
}

/* The calls change how later mappings are locked, and no present one. */
static bool fill_on_touch(bool on)
{
#ifdef MCL_ONFAULT
    return mlockall(on ? MCL_FUTURE | MCL_ONFAULT : MCL_FUTURE) == 0;
#else
    return !on;
#endif
}

/* The untouched part of the arena must not be filled. What is touched will be locked, as the
 * program has asked. */
static void *map_sparsely(void)
{
    int flags = MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    bool fills = fills_new_memory();
    errno = EAGAIN;
    if (fills && !fill_on_touch(true)) return MAP_FAILED;
    void *memory =
        mmap(the_arena.base, arena_bytes(), PROT_READ | PROT_WRITE, flags, arena.descriptor, 0);
    int error = errno;
    if (fills) fill_on_touch(false);
    errno = error;
    return memory;
}

static bool map_arena(enum obstacle *obstacle)
{
    char *memory = map_sparsely();
    if (memory == the_arena.base) {
        madvise(memory, arena_bytes(), MADV_DONTDUMP); /* it would contain untouched memory, too */
        madvise(memory, the_arena.zone, MADV_HUGEPAGE);
        arena.shared = (struct zone_state *)(void *)(memory + memory_bytes());
        arena.used = arena.shared->used_of_slot[armcii_node->rank];
        return true;
    }
    *obstacle = memory == MAP_FAILED && errno == EAGAIN ? OBSTACLE_LOCK : OBSTACLE_MAPPING;
    if (memory != MAP_FAILED)
        munmap(memory, arena_bytes()); /* a kernel without MAP_FIXED_NOREPLACE */
    return false;
}

static void close_descriptor(void)
{
    if (arena.descriptor >= 0) close(arena.descriptor);
    arena.descriptor = -1;
}

/* The result is the same on all processes; `wanted` need not be. */
static bool try_candidate(const struct arena *candidate, bool wanted, enum obstacle *obstacle)
{
    the_arena = *candidate;
    arena.descriptor = armcii_segment_share(arena_bytes(), armcii_node->comm, obstacle);
    bool mapped = wanted && arena.descriptor >= 0 && map_arena(obstacle);
    if (armcii_coll_all(mapped, armcii_world->comm)) return true;
    if (mapped) munmap(the_arena.base, arena_bytes());
    close_descriptor();
    the_arena = (struct arena){0};
    arena.shared = NULL;
    arena.used = NULL;
    return false;
}

void armcii_arena_start(void)
{
    if (!armcii_node->shares_memory) return;
    bool wanted = !is_address_space_limited();
    enum obstacle obstacle = OBSTACLE_NONE;
    arena.renewed = 0;
    size_t n = sizeof candidates / sizeof candidates[0], i = 0;
    while (i < n && !try_candidate(&candidates[i], wanted, &obstacle))
        i++;
    if (i == n) armcii_node_share_nothing(wanted ? obstacle : OBSTACLE_LIMIT);
}

void armcii_arena_end(void)
{
    free(arena.reserved);
    arena.reserved = NULL;
    if (the_arena.slot == 0) return;
    munmap(the_arena.base, arena_bytes());
    close_descriptor();
    the_arena = (struct arena){0};
    arena.shared = NULL;
    arena.used = NULL;
}

/* ---- units ---- */

size_t armcii_arena_unit(enum arena_area area)
{
    return area == ARENA_ZONE ? the_arena.zone / MOST_UNITS : SLOT_UNIT;
}

static size_t units_of(enum arena_area area)
{
    return area == ARENA_ZONE ? MOST_UNITS : the_arena.slot / SLOT_UNIT;
}

/* The number of bits in [first, first + n) that are set. Atomic loads: a server reads bits that
 * other processes set. */
static size_t count_bits(const uint64_t bits[], size_t first, size_t n)
{
    size_t count = 0;
    for (size_t i = first; i < first + n; i++)
        count += __atomic_load_n(&bits[i / WORD], __ATOMIC_RELAXED) >> i % WORD & 1;
    return count;
}

static void set_bits(uint64_t bits[], size_t first, size_t n, bool value)
{
    for (size_t i = first; i < first + n; i++) {
        uint64_t bit = (uint64_t)1 << i % WORD, old = bits[i / WORD];
        __atomic_store_n(&bits[i / WORD], value ? old | bit : old & ~bit, __ATOMIC_RELAXED);
    }
}

/* The first of `units` free units in a row, of n; the search begins `skipped` units below the
 * highest, and goes on there from the lowest. SIZE_MAX if there are none. */
static size_t find_free(const uint64_t bits[], size_t n, size_t units, size_t skipped)
{
    size_t places = n >= units ? n - units + 1 : 0;
    for (size_t i = 0; i < places; i++) {
        size_t first = places - 1 - (skipped + i) % places;
        if (count_bits(bits, first, units) == 0) return first;
    }
    return SIZE_MAX;
}

/* Where the search begins. Another thread of a member, or in the zone another process, may take
 * the same units for another team at the same time: then both teams try again, from different
 * places. */
static size_t skipped_by(const struct team *team, size_t attempt)
{
    uint64_t name = (uint64_t)(unsigned)team->to_world[0] << 32 | (unsigned)team->root_tag;
    return attempt == 0 ? 0 : (size_t)((name + attempt) * 0x9e3779b97f4a7c15u >> 32);
}

static uint64_t *used_in(enum arena_area area)
{
    return area == ARENA_ZONE ? arena.shared->used : arena.used;
}

static bool take(enum arena_area area, size_t first, size_t units)
{
    armcii_stripe_lock(&arena.shared->lock);
    bool free = count_bits(used_in(area), first, units) == 0;
    if (free) set_bits(used_in(area), first, units, true);
    armcii_stripe_unlock(&arena.shared->lock);
    return free;
}

static void give(enum arena_area area, size_t first, size_t units)
{
    armcii_stripe_lock(&arena.shared->lock);
    set_bits(used_in(area), first, units, false);
    armcii_stripe_unlock(&arena.shared->lock);
}

static bool is_first_on_node(struct team *team)
{
    return armcii_scope_member(armcii_team_scope(team, TEAM_NODE), 0) == team->rank;
}

/* The offset of units of the zone, or of the caller's slot, which are the team's from now on. */
static size_t begin_use(enum arena_area area, size_t first, size_t units)
{
    size_t unit = armcii_arena_unit(area), at = first * unit;
    if (area == ARENA_ZONE) {
        armcii_arena_renew();
        return at;
    }
    at += the_arena.zone;
    madvise(armcii_arena_address(armcii_world->rank, at, the_arena.slot), units * unit,
            MADV_DODUMP);
    return at;
}

size_t armcii_arena_acquire(struct team *team, enum arena_area area, size_t units)
{
    bool takes = area == ARENA_SLOTS || is_first_on_node(team);
    for (size_t attempt = 0;; attempt++) {
        uint64_t mine[MOST_UNITS / WORD], all[MOST_UNITS / WORD];
        memcpy(mine, used_in(area), sizeof mine);
        armcii_coll_allreduce(mine, all, MOST_UNITS / WORD, MPI_UINT64_T, MPI_BOR, team->comm);
        size_t first = find_free(all, units_of(area), units, skipped_by(team, attempt));
        if (first == SIZE_MAX) return SIZE_MAX;
        bool taken = !takes || take(area, first, units);
        if (armcii_coll_all(taken, team->comm)) return begin_use(area, first, units);
        if (takes && taken) give(area, first, units);
    }
}

void armcii_arena_release(enum arena_area area, size_t offset, size_t units)
{
    size_t begin = area == ARENA_ZONE ? 0 : the_arena.zone;
    give(area, (offset - begin) / armcii_arena_unit(area), units);
}

/* ---- memory of one process ---- */

/* SIZE_MAX: there is no room. */
static size_t take_anywhere(size_t units)
{
    armcii_stripe_lock(&arena.shared->lock);
    size_t first = find_free(arena.shared->used, MOST_UNITS, units, 0);
    if (first != SIZE_MAX) set_bits(arena.shared->used, first, units, true);
    armcii_stripe_unlock(&arena.shared->lock);
    return first;
}

char *armcii_arena_take(size_t bytes)
{
    size_t unit = armcii_arena_unit(ARENA_ZONE), units = bytes / unit + (bytes % unit > 0),
           first = take_anywhere(units);
    if (first == SIZE_MAX) return NULL;
    for (size_t i = first; i < first + units; i++) {
        struct taken *t = &arena.shared->taken[i];
        t->first = (unsigned)first;
        t->bytes = bytes;
        atomic_store_explicit(&t->owner, armcii_node->rank + 1, memory_order_release);
    }
    return the_arena.base + begin_use(ARENA_ZONE, first, units);
}

bool armcii_arena_find(int process, const void *address, char **memory, size_t *bytes)
{
    size_t at = (uintptr_t)address - (uintptr_t)the_arena.base;
    if (at >= the_arena.zone || !armcii_world_is_on_node(process)) return false;
    const struct taken *t = &arena.shared->taken[at / armcii_arena_unit(ARENA_ZONE)];
    if (atomic_load_explicit(&t->owner, memory_order_acquire) !=
        armcii_world->local_rank_of[process] + 1)
        return false;
    *memory = the_arena.base + t->first * armcii_arena_unit(ARENA_ZONE);
    *bytes = t->bytes;
    return (size_t)((const char *)address - *memory) < *bytes;
}

/* ---- what requests of other nodes may touch ---- */

/* True if the units [first, last] are set. Mostly that is one. */
static bool are_used(const uint64_t bits[], size_t first, size_t last)
{
    if (first != last) return count_bits(bits, first, last - first + 1) == last - first + 1;
    return __atomic_load_n(&bits[first / WORD], __ATOMIC_RELAXED) >> first % WORD & 1;
}

/* What a process has taken alone belongs to that process, up to its last byte. The division is one
 * of 32 bits, since units are multiples of SLOT_UNIT. */
static bool is_zone_used(int local_rank, size_t at, size_t bytes)
{
    const unsigned unit = (unsigned)(armcii_arena_unit(ARENA_ZONE) / SLOT_UNIT),
                   first = (unsigned)(at / SLOT_UNIT) / unit;
    const struct taken *t = &arena.shared->taken[first];
    const int owner = atomic_load_explicit(&t->owner, memory_order_acquire);
    if (owner > 0)
        return owner == local_rank + 1 &&
               at + bytes - t->first * armcii_arena_unit(ARENA_ZONE) <= t->bytes;
    const size_t last = at + bytes - 1;
    return are_used(arena.shared->used, first, (unsigned)(last / SLOT_UNIT) / unit);
}

/* bytes - 1 >= room, too, if there are none. */
bool armcii_arena_is_used(int process, const void *memory, size_t bytes)
{
    const int local_rank = armcii_world->local_rank_of[process];
    const size_t at = (uintptr_t)memory - (uintptr_t)the_arena.base;
    if (at < the_arena.zone)
        return bytes - 1 < the_arena.zone - at && is_zone_used(local_rank, at, bytes);
    const size_t in_slot = at - the_arena.zone - (size_t)local_rank * the_arena.slot;
    return in_slot < the_arena.slot && bytes - 1 < the_arena.slot - in_slot &&
           are_used(arena.shared->used_of_slot[local_rank], in_slot / SLOT_UNIT,
                    (in_slot + bytes - 1) / SLOT_UNIT);
}

/* ---- memory of the zone ---- */

/* Make the MPI library drop its registrations of the range, as it does where a process gives memory
 * up. Shared memory keeps its content until the range of the file is freed. The call fails for
 * locked memory, but the MPI library has been told. */
static void drop_registration(struct range range)
{
    madvise(the_arena.base + range.offset, range.bytes, MADV_DONTNEED);
}

static void publish_dropped(struct range range)
{
    armcii_stripe_lock(&arena.shared->lock);
    size_t n = arena.shared->drops;
    arena.shared->dropped[n % DROPPED] = range;
    if (arena.renewed == n) arena.renewed = n + 1;
    atomic_store_explicit(&arena.shared->drops, n + 1, memory_order_release);
    armcii_stripe_unlock(&arena.shared->lock);
}

void armcii_arena_drop(struct team *team, size_t offset, size_t bytes)
{
    struct range range = {offset, bytes};
    drop_registration(range);
    if (!is_first_on_node(team)) return;
    while (fallocate(arena.descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
                     (off_t)bytes) != 0 &&
           errno == EINTR)
        continue;
    publish_dropped(range);
}

/* Copy the ranges from number `first` on, or the whole zone where there are more than the node
 * keeps. Returns how many; *end: the number of the next one. */
static size_t copy_dropped(size_t first, struct range dropped[DROPPED], size_t *end)
{
    armcii_stripe_lock(&arena.shared->lock);
    size_t n = *end = arena.shared->drops, count = n - first;
    for (size_t i = first; count <= DROPPED && i < n; i++)
        dropped[i - first] = arena.shared->dropped[i % DROPPED];
    armcii_stripe_unlock(&arena.shared->lock);
    if (count <= DROPPED) return count;
    dropped[0] = (struct range){0, the_arena.zone};
    return 1;
}

/* Hold the lock until MPI has dropped all stale registrations: no thread may use the memory before.
 * Other processes go on: a large range takes long. */
void armcii_arena_renew(void)
{
    struct range dropped[DROPPED];
    size_t end;
    if (!arena.shared ||
        atomic_load_explicit(&arena.shared->drops, memory_order_acquire) == arena.renewed)
        return;
    pthread_mutex_lock(&arena.telling);
    size_t n = copy_dropped(arena.renewed, dropped, &end);
    for (size_t i = 0; i < n; i++)
        drop_registration(dropped[i]);
    arena.renewed = end; /* counted when the library knows it */
    pthread_mutex_unlock(&arena.telling);
}

/* ---- memory of the slots ---- */

/* 512 KiB, of which a job touches little. */
static uint64_t *reserved_pages(void)
{
    if (!arena.reserved)
        arena.reserved =
            armcii_alloc(MOST_UNITS * UNIT_PAGES / WORD, sizeof *arena.reserved, "the arena");
    return arena.reserved;
}

static size_t count_pages(size_t offset, size_t bytes)
{
    return bytes == 0 ? 0 : (offset + bytes - 1) / PAGE - offset / PAGE + 1;
}

static size_t page_of(size_t offset)
{
    return (offset - the_arena.zone) / PAGE;
}

size_t armcii_arena_unreserved(size_t offset, size_t bytes)
{
    size_t pages = count_pages(offset, bytes);
    return (pages - count_bits(reserved_pages(), page_of(offset), pages)) * PAGE;
}

void armcii_arena_set_reserved(size_t offset, size_t bytes)
{
    set_bits(reserved_pages(), page_of(offset), count_pages(offset, bytes), true);
}

/* The reserved pages of [begin, end) in the slot are reserved no longer. */
static void drop_pages(size_t begin, size_t end)
{
    size_t first = page_of(begin), pages = (end - begin) / PAGE;
    armcii_reservation_release(count_bits(reserved_pages(), first, pages) * PAGE);
    set_bits(reserved_pages(), first, pages, false);
}

void armcii_arena_drop_untouched(size_t offset, size_t bytes)
{
    size_t slot = (size_t)(armcii_arena_address(armcii_world->rank, 0, the_arena.slot) -
                           the_arena.base),
           at = offset, end = offset + bytes / PAGE * PAGE;
    while (at < end) {
        off_t found =
            lseek(arena.descriptor, (off_t)(slot + at), SEEK_DATA); /* -1: no data follow */
        size_t data = found < 0 || (size_t)found - slot > end ? end : (size_t)found - slot;
        drop_pages(at, data);
        at = data < end ? (size_t)lseek(arena.descriptor, (off_t)(slot + data), SEEK_HOLE) - slot
                        : end;
    }
}

size_t armcii_arena_touched(void)
{
    struct stat status;
    return arena.descriptor >= 0 && fstat(arena.descriptor, &status) == 0
               ? (size_t)status.st_blocks * 512
               : 0;
}
