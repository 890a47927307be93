/* heap.c - memory that the processes of a node share, and its allocator. */
#define _GNU_SOURCE
#include "node/heap.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/pool.h"
#include "base/system.h"
#include "mpi/coll.h"
#include "node/cpus.h"
#include "node/node.h"
#include "node/segment.h"

/* Addresses that hold nothing in usual processes of 47, 48 and 39 bits. PMIx and hwloc map files
 * in the middle of the largest gap, a half and a quarter of 0x7f...: that concerns the first two,
 * but not the third. Valgrind has its own memory in the fourth. */
static const struct heap candidates[] = {
    {(char *)0x110000000000, (size_t)15 << 40}, {(char *)0x310000000000, (size_t)15 << 40},
    {(char *)0x210000000000, (size_t)15 << 40}, {(char *)0x0800000000, (size_t)64 << 30},
    {(char *)0x110000000000, (size_t)64 << 30},
};

enum { PAGE = 4096, LINE = 64, MOST_FREE_RANGES = 1 << 22 };

/* A huge page of the heap. Servers read it without the lock. */
struct block {
    atomic_uint ranges; /* that lie in it, in whole or in part */
    atomic_int owner;   /* rank on the node + 1 of a process that has taken it alone; 0: none */
    unsigned first;     /* block of the same memory */
    size_t bytes;       /* of it */
};

/* What the processes of a node share behind the heap; then a block for each huge page, and the
 * table of the pool. */
struct heap_state {
    struct stripe lock;
    struct pool pool;
    atomic_size_t kept;  /* bytes that were freed and not dropped */
    atomic_size_t drops; /* number of ranges that were dropped */
    struct freed {
        size_t offset, bytes;
    } dropped[512]; /* the last of these, from number 0 on in turn */
    struct block block[];
};
enum { DROPPED = sizeof((struct heap_state *)NULL)->dropped / sizeof(struct freed) };

static struct {
    struct heap map;
    struct heap_state *shared;
    atomic_size_t renewed;   /* ranges that this process has given up */
    pthread_mutex_t telling; /* the MPI library */
    int descriptor;
    struct stat file; /* of the descriptor, which the program may close, and open another file */
} heap = {.telling = PTHREAD_MUTEX_INITIALIZER, .descriptor = -1};
const struct heap *const armcii_heap = &heap.map;

static size_t blocks(void)
{
    return heap.map.bytes / HUGE_PAGE;
}

/* With the state. */
static size_t heap_bytes(void)
{
    return heap.map.bytes + sizeof *heap.shared + blocks() * sizeof heap.shared->block[0] +
           MOST_FREE_RANGES * sizeof heap.shared->pool.free[0];
}

/* ---- start and end ---- */

/* A limit of the address space must leave room for the program. */
static bool is_address_space_limited(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/* True if a heap of that size is to be had for little: for each TiB that is mapped Valgrind's
 * memcheck takes 20 s and 1.3 GB, touched or not; helgrind takes about as much as is mapped. */
static bool is_cheap(size_t bytes)
{
    if (armcii_object_is_loaded("/vgpreload_helgrind")) return false;
    return bytes >> 40 == 0 || !armcii_object_is_loaded("/vgpreload_");
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

/* The untouched part of the heap must not be filled. What is touched will be locked, as the
 * program has asked. */
static void *map_sparsely(void)
{
    int flags = MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    bool fills = fills_new_memory();
    errno = ENOMEM;
    if (!is_cheap(heap.map.bytes)) return MAP_FAILED;
    errno = EAGAIN;
    if (fills && !fill_on_touch(true)) return MAP_FAILED;
    void *memory =
        mmap(heap.map.base, heap_bytes(), PROT_READ | PROT_WRITE, flags, heap.descriptor, 0);
    int error = errno;
    if (fills) fill_on_touch(false);
    errno = error;
    return memory;
}

/* By the first process of the node, before others use it. */
static void fill_pool(void)
{
    heap.shared->pool = (struct pool){
        .free = (void *)&heap.shared->block[blocks()], .room = MOST_FREE_RANGES, .is_fixed = true};
    armcii_pool_free(&heap.shared->pool, 0, heap.map.bytes);
}

static bool map_heap(enum obstacle *obstacle)
{
    char *memory = map_sparsely();
    if (memory == heap.map.base) {
        madvise(memory, heap_bytes(), MADV_DONTDUMP); /* it would contain untouched memory, too */
        madvise(memory + armcii_heap_end_of(HEAP_SMALL),
                heap.map.bytes - armcii_heap_end_of(HEAP_SMALL), MADV_HUGEPAGE);
        heap.shared = (struct heap_state *)(void *)(memory + heap.map.bytes);
        if (armcii_node->rank == 0) fill_pool();
        return true;
    }
    *obstacle = memory == MAP_FAILED && errno == EAGAIN ? OBSTACLE_LOCK : OBSTACLE_MAPPING;
    if (memory != MAP_FAILED)
        munmap(memory, heap_bytes()); /* a kernel without MAP_FIXED_NOREPLACE */
    return false;
}

/* True if the descriptor is the heap's file still, with what the system says of it. */
static bool stat_file(struct stat *status)
{
    return heap.descriptor >= 0 && fstat(heap.descriptor, status) == 0 &&
           status->st_ino == heap.file.st_ino && status->st_dev == heap.file.st_dev;
}

static void open_descriptor(enum obstacle *obstacle)
{
    heap.descriptor = armcii_segment_share(heap_bytes(), armcii_node->comm, obstacle);
    if (heap.descriptor >= 0) fstat(heap.descriptor, &heap.file);
}

static void close_descriptor(void)
{
    struct stat status;
    if (stat_file(&status)) close(heap.descriptor);
    heap.descriptor = -1;
}

/* The result is the same on all processes; `wanted` need not be. */
static bool try_candidate(const struct heap *candidate, bool wanted, enum obstacle *obstacle)
{
    heap.map = *candidate;
    open_descriptor(obstacle);
    bool mapped = wanted && heap.descriptor >= 0 && map_heap(obstacle);
    if (armcii_coll_all(mapped, armcii_world->comm)) return true;
    if (mapped) munmap(heap.map.base, heap_bytes());
    close_descriptor();
    heap.map = (struct heap){0};
    heap.shared = NULL;
    return false;
}

void armcii_heap_start(void)
{
    if (!armcii_node->shares_memory) return;
    bool wanted = !is_address_space_limited();
    enum obstacle obstacle = OBSTACLE_NONE;
    heap.renewed = 0;
    size_t n = sizeof candidates / sizeof candidates[0], i = 0;
    while (i < n && !try_candidate(&candidates[i], wanted, &obstacle))
        i++;
    if (i == n) armcii_node_share_nothing(wanted ? obstacle : OBSTACLE_LIMIT);
}

void armcii_heap_end(void)
{
    if (heap.map.bytes == 0) return;
    munmap(heap.map.base, heap_bytes());
    close_descriptor();
    heap.map = (struct heap){0};
    heap.shared = NULL;
}

/* ---- ranges ---- */

size_t armcii_heap_end_of(enum heap_part part)
{
    const size_t eighth = heap.map.bytes / 8;
    return part == HEAP_PRIVATE ? eighth : part == HEAP_SMALL ? 2 * eighth : heap.map.bytes;
}

/* The ranges of the blocks become more, or fewer. */
static void count_range(size_t offset, size_t bytes, unsigned more)
{
    for (size_t i = offset / HUGE_PAGE; i <= (offset + bytes - 1) / HUGE_PAGE; i++)
        atomic_fetch_add_explicit(&heap.shared->block[i].ranges, more, memory_order_relaxed);
}

size_t armcii_heap_alloc(enum heap_part part, size_t bytes, size_t alignment, size_t limit)
{
    const size_t begin = part == HEAP_PRIVATE ? 0 : armcii_heap_end_of(part - 1),
                 end = armcii_heap_end_of(part);
    armcii_stripe_lock(&heap.shared->lock);
    size_t offset =
        armcii_pool_alloc_below(&heap.shared->pool, bytes, alignment, limit < end ? limit : end);
    if (offset != POOL_FULL && offset < begin) {
        armcii_pool_free(&heap.shared->pool, offset, bytes);
        offset = POOL_FULL;
    }
    if (offset != POOL_FULL) count_range(offset, bytes, 1);
    armcii_stripe_unlock(&heap.shared->lock);
    return offset == POOL_FULL ? HEAP_FULL : offset;
}

void armcii_heap_free(size_t offset, size_t bytes)
{
    armcii_stripe_lock(&heap.shared->lock);
    count_range(offset, bytes, -1u);
    armcii_pool_free(&heap.shared->pool, offset, bytes);
    armcii_stripe_unlock(&heap.shared->lock);
}

/* ---- memory that several processes share ---- */

struct shared_memory {
    _Alignas(LINE) atomic_int users;
    size_t bytes; /* with this head */
    _Alignas(LINE) char memory[];
};

void *armcii_heap_share(size_t bytes, int processes)
{
    size_t all = sizeof(struct shared_memory) + (bytes + LINE - 1) / LINE * LINE,
           offset = armcii_heap_alloc(HEAP_PRIVATE, all, LINE, SIZE_MAX);
    if (offset == HEAP_FULL) return NULL;
    struct shared_memory *s = (struct shared_memory *)(void *)(heap.map.base + offset);
    armcii_reservation_add(all);
    armcii_heap_use_kept(all);
    memset(s, 0, all);
    atomic_store(&s->users, processes);
    s->bytes = all;
    return s->memory;
}

void armcii_heap_leave(void *memory)
{
    struct shared_memory *s =
        (struct shared_memory *)(void *)((char *)memory - offsetof(struct shared_memory, memory));
    if (atomic_fetch_sub(&s->users, 1) > 1) return;
    armcii_reservation_release(s->bytes);
    armcii_heap_keep(s->bytes);
    armcii_heap_free(armcii_heap_offset(s), s->bytes);
}

/* ---- memory of one process ---- */

char *armcii_heap_take(size_t bytes)
{
    size_t all = bytes / HUGE_PAGE + (bytes % HUGE_PAGE > 0),
           offset = all > blocks()
                        ? HEAP_FULL
                        : armcii_heap_alloc(HEAP_PRIVATE, all * HUGE_PAGE, HUGE_PAGE, SIZE_MAX),
           first = offset / HUGE_PAGE;
    if (offset == HEAP_FULL) return NULL;
    for (size_t i = first; i < first + all; i++) {
        struct block *b = &heap.shared->block[i];
        b->first = (unsigned)first;
        b->bytes = bytes;
        atomic_store_explicit(&b->owner, armcii_node->rank + 1, memory_order_release);
    }
    return heap.map.base + offset;
}

bool armcii_heap_find(int process, const void *address, char **memory, size_t *bytes)
{
    size_t at = armcii_heap_offset(address);
    if (at >= heap.map.bytes || !armcii_world_is_on_node(process)) return false;
    const struct block *b = &heap.shared->block[at / HUGE_PAGE];
    if (atomic_load_explicit(&b->owner, memory_order_acquire) !=
        armcii_world->local_rank_of[process] + 1)
        return false;
    *memory = heap.map.base + (size_t)b->first * HUGE_PAGE;
    *bytes = b->bytes;
    return (size_t)((const char *)address - *memory) < *bytes;
}

/* ---- what requests of other nodes may touch ---- */

/* What a process has taken alone belongs to that process, up to its last byte. */
bool armcii_heap_is_used(int process, const void *memory, size_t bytes)
{
    const size_t at = armcii_heap_offset(memory), first = at / HUGE_PAGE;
    if (at >= heap.map.bytes || bytes - 1 >= heap.map.bytes - at) return false;
    const struct block *block = heap.shared->block;
    const int owner = atomic_load_explicit(&block[first].owner, memory_order_acquire);
    if (owner > 0)
        return owner == armcii_world->local_rank_of[process] + 1 &&
               at + bytes - (size_t)block[first].first * HUGE_PAGE <= block[first].bytes;
    for (size_t i = first; i <= (at + bytes - 1) / HUGE_PAGE; i++)
        if (atomic_load_explicit(&block[i].ranges, memory_order_relaxed) == 0) return false;
    return true;
}

/* ---- memory that goes back to the system ---- */

/* Make the MPI library drop its registrations of the range, as it does where a process gives memory
 * up. Shared memory keeps its content until the range of the file is freed. The call fails for
 * locked memory, but the MPI library has been told. */
static void drop_registration(struct freed range)
{
    madvise(heap.map.base + range.offset, range.bytes, MADV_DONTNEED);
}

static void publish_dropped(struct freed range)
{
    armcii_stripe_lock(&heap.shared->lock);
    size_t n = heap.shared->drops;
    heap.shared->dropped[n % DROPPED] = range;
    if (heap.renewed == n) heap.renewed = n + 1;
    atomic_store_explicit(&heap.shared->drops, n + 1, memory_order_release);
    armcii_stripe_unlock(&heap.shared->lock);
}

/* By its address, since the descriptor may not be the heap's any more; by the descriptor only where
 * the memory is locked. */
static int free_range(struct freed range)
{
    struct stat status;
    int rc = madvise(heap.map.base + range.offset, range.bytes, MADV_REMOVE);
    if (rc != 0 && errno == EINVAL && stat_file(&status))
        rc = fallocate(heap.descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                       (off_t)range.offset, (off_t)range.bytes);
    return rc;
}

void armcii_heap_free_pages(size_t offset, size_t bytes, bool is_first)
{
    struct freed range = {offset, bytes};
    drop_registration(range);
    if (!is_first) return;
    while (free_range(range) != 0 && errno == EINTR)
        continue;
    publish_dropped(range);
}

/* Copy the ranges from number `first` on, or the whole heap where there are more than the node
 * keeps. Returns how many; *end: the number of the next one. */
static size_t copy_dropped(size_t first, struct freed dropped[DROPPED], size_t *end)
{
    armcii_stripe_lock(&heap.shared->lock);
    size_t n = *end = heap.shared->drops, count = n - first;
    for (size_t i = first; count <= DROPPED && i < n; i++)
        dropped[i - first] = heap.shared->dropped[i % DROPPED];
    armcii_stripe_unlock(&heap.shared->lock);
    if (count <= DROPPED) return count;
    dropped[0] = (struct freed){0, heap.map.bytes};
    return 1;
}

/* Hold the lock until MPI has dropped all stale registrations: no thread may use the memory before.
 * Other processes go on: a large range takes long. */
void armcii_heap_drop_registrations(void)
{
    struct freed dropped[DROPPED];
    size_t end;
    if (!heap.shared ||
        atomic_load_explicit(&heap.shared->drops, memory_order_acquire) == heap.renewed)
        return;
    pthread_mutex_lock(&heap.telling);
    size_t n = copy_dropped(heap.renewed, dropped, &end);
    for (size_t i = 0; i < n; i++)
        drop_registration(dropped[i]);
    heap.renewed = end; /* counted when the library knows it */
    pthread_mutex_unlock(&heap.telling);
}

/* ---- how much memory there is ---- */

size_t armcii_heap_touched(void)
{
    struct stat status;
    if (!stat_file(&status)) return 0;
    const size_t touched = (size_t)status.st_blocks * 512, kept = heap.shared->kept;
    return touched > kept ? touched - kept : 0;
}

void armcii_heap_keep(size_t bytes)
{
    atomic_fetch_add(&heap.shared->kept, bytes);
}

/* More than is kept where some of it was never used before. */
void armcii_heap_use_kept(size_t bytes)
{
    size_t before = heap.shared->kept, after;
    do
        after = before > bytes ? before - bytes : 0;
    while (!atomic_compare_exchange_weak(&heap.shared->kept, &before, after));
}
