/* memget.c - memory that single processes allocate: exported to the node or attached to a dynamic window. */
#include "mem/memget.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "mem/region.h"
#include "mpi/world.h"
#include "transport/route.h"
#include "transport/shm/node.h"

static struct region *memget; /* NULL: neither shared memory nor a dynamic window is available */
static bool in_use;           /* this process called ARMCI_Memget or ARMCI_Memat */

/* MPI libraries limit the number of attached ranges (Open MPI: 32).  Allocations therefore share a few pieces; each new piece doubles the
 * total if memory permits. */
struct piece {
    struct piece *next; /* oldest first: allocations prefer old pieces */
    char *memory;
    size_t bytes;
    struct free_range {
        size_t offset, bytes; /* bytes may be 0 */
    } * free;                 /* sorted, no two adjacent */
    size_t count, room;       /* of free; count <= live + 1 */
    size_t live;              /* allocations */
};
static struct piece *pieces;
enum { MIN_PIECE = 1 << 20, UNIT = 64 /* allocations and pieces are multiples of it */ };

/* SIZE_MAX, which no piece has, on overflow. */
static size_t rounded(size_t bytes)
{
    return bytes > SIZE_MAX - UNIT ? SIZE_MAX : (bytes + UNIT - 1) / UNIT * UNIT;
}

/* ---- allocations in a piece: first fit in a sorted array, a few cache lines for some hundred ranges ---- */

static bool make_room(struct piece *p, size_t count)
{
    if (count <= p->room) return true;
    struct free_range *more = realloc(p->free, 2 * count * sizeof *more);
    if (!more) return false;
    p->free = more;
    p->room = 2 * count;
    return true;
}

/* NULL: no free range is large enough.  Reserves the array entries that piece_free needs, since only an allocation can fail. */
static char *piece_alloc(struct piece *p, size_t bytes)
{
    size_t i = 0;
    while (i < p->count && p->free[i].bytes < bytes)
        i++;
    if (i == p->count || !make_room(p, p->live + 3)) return NULL;
    char *memory = p->memory + p->free[i].offset;
    p->free[i].offset += bytes;
    p->free[i].bytes -= bytes;
    p->live++;
    return memory;
}

/* Joins ranges i and i + 1 if they are adjacent. */
static void join(struct piece *p, size_t i)
{
    struct free_range *r = &p->free[i];
    if (i + 1 >= p->count || r[0].offset + r[0].bytes != r[1].offset) return;
    r[0].bytes += r[1].bytes;
    p->count--;
    memmove(r + 1, r + 2, (p->count - i - 1) * sizeof *r);
}

static void piece_free(struct piece *p, size_t offset, size_t bytes)
{
    size_t i = 0;
    while (i < p->count && p->free[i].offset <= offset)
        i++;
    memmove(&p->free[i + 1], &p->free[i], (p->count - i) * sizeof *p->free);
    p->free[i] = (struct free_range){offset, bytes};
    p->count++;
    p->live--;
    join(p, i);
    if (i > 0) join(p, i - 1);
}

/* ---- pieces ---- */

/* The transport that allocates pieces. */
static const struct transport *provider(void)
{
    return memget->near->contiguous;
}

/* Can processes of this node find a piece by its address? */
static bool is_shared(void)
{
    return provider()->memget_find != NULL;
}

/* The transport that needs to attach the memory; NULL: none. */
static const struct transport *registrar(void)
{
    const struct transport *atomic = memget->near->atomic;
    return atomic->memget_attach ? atomic : NULL;
}

static char *new_memory(size_t bytes)
{
    char *memory = provider()->memget_alloc(bytes);
    if (!memory || !registrar() || registrar()->memget_attach(memget, memory, bytes) == 0) return memory;
    provider()->memget_free(memory);
    return NULL;
}

/* Is so much memory available?  Shared memory is reserved, as for regions. */
static bool reserve(size_t bytes)
{
    size_t left;
    if (!armcii_reservation_try(bytes, &left)) return false;
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
    struct piece **last = &pieces, *p;
    for (; *last; last = &(*last)->next)
        size += (*last)->bytes;
    if (size < bytes || !reserve(size)) {
        size = bytes;
        if (!reserve(size)) return NULL;
    }
    p = calloc(1, sizeof *p);
    if (!p || !make_room(p, 1)) armcii_fatal("out of memory for a table of %zu bytes", size);
    p->free[p->count++] = (struct free_range){0, p->bytes = size};
    p->memory = new_memory(size);
    if (p->memory) return *last = p;
    unreserve(size);
    free(p->free);
    free(p);
    return NULL;
}

static char *allocate(size_t bytes)
{
    for (struct piece *p = pieces; p; p = p->next) {
        char *memory = piece_alloc(p, bytes);
        if (memory) return memory;
    }
    struct piece *p = add_piece(bytes);
    return p ? piece_alloc(p, bytes) : NULL;
}

/* The piece that contains memory; NULL if none. */
static struct piece *piece_of(const char *memory)
{
    struct piece *p = pieces;
    while (p && (memory < p->memory || memory >= p->memory + p->bytes))
        p = p->next;
    return p;
}

static void free_pieces(void)
{
    while (pieces) {
        struct piece *p = pieces;
        pieces = p->next;
        if (registrar()) registrar()->memget_detach(memget, p->memory);
        provider()->memget_free(p->memory);
        unreserve(p->bytes);
        free(p->free);
        free(p);
    }
}

void armcii_memget_start(void)
{
    memget = calloc(1, sizeof *memget);
    if (!memget) armcii_fatal("out of memory");
    memget->memget = true;
    memget->team = armcii_team_world();
    armcii_route_region(memget);
    if (armcii_region_attach(memget) == 0) return;
    free(memget);
    memget = NULL;
}

void armcii_memget_end(void)
{
    if (memget) {
        free_pieces();
        armcii_region_detach(memget);
    }
    free(memget);
    memget = NULL;
    in_use = false;
}

struct region *armcii_memget_region(void)
{
    return memget;
}

/* With one process every call is collective, so a region suffices; some MPI libraries have no dynamic window for one process. */
static void *create_alone(size_t bytes)
{
    bool is_empty;
    struct region *r = armcii_region_create(armcii_team_world(), (long)bytes, &is_empty);
    return r ? r->base[0] : NULL;
}

void *armcii_memget_create(size_t bytes)
{
    if (armcii_world->size == 1) return create_alone(bytes);
    if (!memget) return NULL;
    char *memory = allocate(rounded(bytes));
    if (!memory) return NULL;
    armcii_directory_add(armcii_world->rank, memory, bytes, memget, is_shared() ? memory : NULL);
    in_use = true;
    return memory;
}

bool armcii_memget_free(void *memory)
{
    struct raddr raddr;
    if (!armcii_region_locate(armcii_world->rank, memory, &raddr) || raddr.lo != memory) return false;
    if (armcii_world->size == 1) {
        armcii_region_free(raddr.region);
        return true;
    }
    struct piece *p = piece_of(memory);
    if (!p) return false;
    armcii_directory_remove(armcii_world->rank, memory, memget);
    piece_free(p, (size_t)((char *)memory - p->memory), rounded((size_t)(raddr.hi - raddr.lo)));
    return true;
}

/* Can unmapped memory of the process be accessed?  A server accepts requests of other nodes only. */
static bool is_reachable(int process)
{
    if (memget->far->direct) return false;
    return memget->far->contiguous == memget->near->atomic || armcii_world->node_of[process] != armcii_world->node_of[armcii_world->rank];
}

/* Enter the allocation in the directory if a process of this node exports it. */
static bool learn_exported(int process, const void *address)
{
    char *base, *mapped;
    size_t bytes;
    if (!memget || !is_shared() || !provider()->memget_find(process, address, &base, &bytes, &mapped)) return false;
    armcii_directory_add(process, base, bytes, memget, mapped);
    return true;
}

/* Does [memory, memory + bytes) lie in a slice of the directory? */
static bool is_known(int process, const char *memory, size_t bytes)
{
    struct raddr raddr;
    return armcii_region_locate(process, memory, &raddr) && bytes <= (size_t)(raddr.hi - memory);
}

/* A process knows its own allocations and the exports of its node.  For other memory, a conflicting older entry was freed and is
 * replaced. */
bool armcii_memget_learn(int process, void *memory, size_t bytes)
{
    struct raddr raddr;
    bool found = armcii_region_locate(process, memory, &raddr);
    if (armcii_world->size == 1) return found && raddr.lo == memory && is_known(process, memory, bytes);
    if (!memget || (found && !raddr.region->memget)) return false;
    if (is_known(process, memory, bytes)) return true;
    if (process == armcii_world->rank) return false;
    if (learn_exported(process, memory)) return is_known(process, memory, bytes);
    if (!is_reachable(process)) return false;
    in_use = true;
    armcii_directory_add(process, memory, bytes, memget, NULL);
    return true;
}

bool armcii_memget_locate(int process, const void *address, size_t bytes, struct raddr *raddr)
{
    if (armcii_region_locate(process, address, raddr)) return true;
    if (!memget || !address) return false;
    if (learn_exported(process, address)) return armcii_region_locate(process, address, raddr);
    if (!in_use || !is_reachable(process)) return false;
    *raddr = (struct raddr){.region = memget, .rank = process, .lo = (char *)address, .hi = (char *)address + bytes, .route = memget->far};
    return true;
}
