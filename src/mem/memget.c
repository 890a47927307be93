/* memget.c - memory that single processes allocate: in the heap, or attached to a dynamic window.
 */
#include "mem/region.h"

#include <armcix.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/pool.h"
#include "mpi/world.h"
#include "transport/route.h"
#include "node/heap.h"
#include "node/cpus.h"

/* MPI libraries limit the number of attached ranges (Open MPI: 32). Allocations therefore share a
 * few pieces; each new piece doubles the total if memory permits. */
struct piece {
    struct piece *next; /* oldest first: allocations prefer old pieces */
    char *memory;
    size_t bytes;
    struct pool pool; /* of offsets in memory */
};
static struct {
    struct region *region; /* NULL: neither shared memory nor a dynamic window is available */
    struct piece *pieces;
    bool in_use; /* this process called ARMCI_Memget or ARMCI_Memat */
} memget;
enum { MIN_PIECE = 1 << 20, UNIT = 64 /* allocations and pieces are multiples of it */ };

/* SIZE_MAX, which no piece has, on overflow. */
static size_t rounded(size_t bytes)
{
    return bytes > SIZE_MAX - UNIT ? SIZE_MAX : (bytes + UNIT - 1) / UNIT * UNIT;
}

/* ---- pieces ---- */

/* True if the memory is in the heap, where processes of this node find a piece by its address. */
static bool is_shared(void)
{
    return armcii_heap->bytes > 0;
}

static void free_memory(char *memory)
{
    if (!is_shared()) free(memory); /* the heap keeps it until the end */
}

static char *new_memory(size_t bytes)
{
    const struct transport *t = memget.region->near->atomic;
    char *memory = is_shared() ? armcii_heap_take(bytes) : aligned_alloc(UNIT, bytes);
    if (!memory || !t->memget_attach || t->memget_attach(memget.region, memory, bytes) == 0)
        return memory;
    free_memory(memory);
    return NULL;
}

/* True if so much memory is available. Shared memory is reserved, as for regions. */
static bool reserve(size_t bytes)
{
    size_t left;
    if (!armcii_reservation_try(bytes, armcii_heap_touched(), &left)) return false;
    if (!is_shared()) armcii_reservation_release(bytes);
    return true;
}

static void unreserve(size_t bytes)
{
    if (is_shared()) armcii_reservation_release(bytes);
}

static struct piece *add_piece(size_t bytes)
{
    size_t size = MIN_PIECE;
    struct piece **last = &memget.pieces, *p;
    for (; *last; last = &(*last)->next)
        size += (*last)->bytes;
    if (size < bytes || !reserve(size)) {
        size = bytes;
        if (!reserve(size)) return NULL;
    }
    p = armcii_alloc(1, sizeof *p, "memory of ARMCI_Memget");
    p->bytes = size;
    p->memory = new_memory(size);
    if (p->memory) {
        armcii_pool_free(&p->pool, 0, size);
        return *last = p;
    }
    unreserve(size);
    free(p);
    return NULL;
}

static char *allocate(size_t bytes)
{
    size_t offset = POOL_FULL;
    struct piece *p = memget.pieces;
    while (p && (offset = armcii_pool_alloc(&p->pool, bytes, UNIT)) == POOL_FULL)
        p = p->next;
    if (!p && (p = add_piece(bytes))) offset = armcii_pool_alloc(&p->pool, bytes, UNIT);
    return p ? p->memory + offset : NULL;
}

/* The piece that contains memory; NULL if none. */
static struct piece *piece_of(const char *memory)
{
    struct piece *p = memget.pieces;
    while (p && (memory < p->memory || memory >= p->memory + p->bytes))
        p = p->next;
    return p;
}

static void free_pieces(void)
{
    while (memget.pieces) {
        struct piece *p = memget.pieces;
        memget.pieces = p->next;
        free_memory(p->memory);
        unreserve(p->bytes);
        armcii_pool_clear(&p->pool);
        free(p);
    }
}

/* ---- memory of other processes ---- */

/* True if the address lies where single processes have memory, and no region was or is. */
static bool is_in_private_part(const void *address)
{
    return armcii_heap_offset(address) < armcii_heap_end_of(HEAP_PRIVATE);
}

/* True if a program can have memory there: above the lowest page, below the kernel's addresses. */
static bool is_of_program(const void *address)
{
    enum { LOWEST_PAGE = 4096 };
    return (intptr_t)address >= LOWEST_PAGE;
}

/* True if such memory of the process can be there, and be accessed. A server accepts requests of
 * other nodes only. */
static bool is_reachable(int process, const void *address)
{
    if (!is_of_program(address) || memget.region->far->direct) return false;
    if (is_shared() && !is_in_private_part(address)) return false;
    return memget.region->far->contiguous == memget.region->near->atomic ||
           !armcii_world_is_on_node(process);
}

/* Enter the piece in the index if another process of this node has it. */
static bool learn_shared(int process, const void *address)
{
    char *memory;
    size_t bytes;
    if (process == armcii_world->rank || !is_shared() ||
        !armcii_heap_find(process, address, &memory, &bytes))
        return false;
    armcii_lookup_add(process, memory, bytes, memget.region, true);
    return true;
}

/* If this process uses such memory, assume that [address, address + bytes) is such memory where no
 * slice holds all of it, because programs pass addresses on without ARMCI_Memat. A slice that was
 * found may be that of an allocation that its process has freed, and replaced by a longer one:
 * nobody tells the others. */
bool armcii_resolve(int process, const void *address, size_t bytes, struct raddr *raddr)
{
    bool found = armcii_lookup(process, address, raddr);
    if (found && armcii_slice_holds(raddr, address, bytes)) return true;
    if (!memget.region) return found;
    if (found && (raddr->region != memget.region || process == armcii_world->rank)) return true;
    if (learn_shared(process, address)) return armcii_lookup(process, address, raddr);
    if (!memget.in_use || !is_reachable(process, address)) return found;
    *raddr = (struct raddr){.region = memget.region,
                            .rank = process,
                            .lo = (char *)address,
                            .hi = (char *)address + bytes,
                            .is_assumed = true,
                            .route = memget.region->far};
    return true;
}

/* ---- start and end ---- */

void armcii_memget_start(void)
{
    memget.region = armcii_alloc(1, sizeof *memget.region, "the region of ARMCI_Memget");
    memget.region->memget = true;
    memget.region->mode = ARMCIX_MODE_ALL;
    memget.region->team = armcii_team_world();
    armcii_route_region(memget.region);
    if (armcii_region_attach(memget.region) == 0) return;
    free(memget.region);
    memget.region = NULL;
}

void armcii_memget_end(void)
{
    if (memget.region) {
        armcii_region_detach(memget.region);
        free_pieces();
    }
    free(memget.region);
    memget.region = NULL;
    memget.in_use = false;
}

struct region *armcii_memget_region(void)
{
    return memget.region;
}

/* With one process every call is collective, so a region suffices; some MPI libraries have no
 * dynamic window for one process. */
static void *create_alone(size_t bytes)
{
    const char *why;
    struct region *r = armcii_region_create(armcii_team_world(), (long)bytes, &why);
    return r ? armcii_region_base(r, 0) : NULL;
}

void *armcii_memget_create(size_t bytes)
{
    if (armcii_world->size == 1) return create_alone(bytes);
    if (!memget.region) return NULL;
    char *memory = allocate(rounded(bytes));
    if (!memory) return NULL;
    armcii_lookup_add(armcii_world->rank, memory, bytes, memget.region, is_shared());
    memget.in_use = true;
    return memory;
}

bool armcii_memget_free(void *memory)
{
    struct raddr raddr;
    if (!armcii_lookup(armcii_world->rank, memory, &raddr) || raddr.lo != memory) return false;
    if (armcii_world->size == 1) {
        armcii_region_free(raddr.region);
        return true;
    }
    struct piece *p = piece_of(memory);
    if (!p) return false;
    armcii_lookup_remove(armcii_world->rank, memory, memget.region);
    armcii_pool_free(&p->pool, (size_t)((char *)memory - p->memory),
                     rounded((size_t)(raddr.hi - raddr.lo)));
    return true;
}

/* True if [memory, memory + bytes) lies in a slice of the index. */
static bool is_known(int process, const char *memory, size_t bytes)
{
    struct raddr raddr;
    return armcii_lookup(process, memory, &raddr) && armcii_slice_holds(&raddr, memory, bytes);
}

/* A process knows its own allocations and the exports of its node. For other memory, a conflicting
 * older entry was freed and is replaced. */
bool armcii_memget_learn(int process, void *memory, size_t bytes)
{
    struct raddr raddr;
    bool found = armcii_lookup(process, memory, &raddr);
    if (armcii_world->size == 1)
        return found && raddr.lo == memory && is_known(process, memory, bytes);
    if (!memget.region || (found && !raddr.region->memget)) return false;
    if (is_known(process, memory, bytes)) return true;
    if (process == armcii_world->rank) return false;
    if (learn_shared(process, memory)) return is_known(process, memory, bytes);
    if (!is_reachable(process, memory)) return false;
    memget.in_use = true;
    armcii_lookup_add(process, memory, bytes, memget.region, false);
    return true;
}
