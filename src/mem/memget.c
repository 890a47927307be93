/* memget.c - memory that single processes add: on one node, memory that they offer to it; else memory attached to a dynamic window. */
#include "mem/memget.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/stats.h"
#include "mem/suballoc.h"
#include "mem/region.h"
#include "transport/am/server.h"
#include "transport/am/am.h"
#include "transport/am/proto.h"
#include "transport/shm/node.h"
#include "transport/shm/export.h"
#include "transport/shm/reservation.h"
#include "mpi/world.h"

static struct region *attached; /* NULL: there is neither shared memory nor a dynamic window */
static bool in_use;             /* this process called ARMCI_Memget or ARMCI_Memat */

static size_t rounded(size_t bytes)
{
    return (bytes + SUBALLOC_UNIT - 1) / SUBALLOC_UNIT * SUBALLOC_UNIT;
}

/* MPI libraries bound the number of attached pieces (Open MPI: 32): so few large ones, each as large as all before it together where there is
 * memory for that, which allocations are parts of. */
struct piece {
    struct piece *next; /* oldest first: new allocations go there, so that later pieces become free */
    char *memory;
    size_t bytes;
    struct suballoc parts;
};
static struct piece *pieces;
enum { SMALLEST_PIECE = 1 << 20 };

/* Is the memory of pieces on offer to the node? */
static bool offers_memory(void)
{
    return armcii_node->kind == SEGMENT_MEMFD;
}

static void free_memory(char *memory)
{
    if (!offers_memory()) free(memory); /* offers go with the node */
}

static char *new_memory(size_t bytes)
{
    char *memory = offers_memory() ? armcii_export_create(bytes) : aligned_alloc(SUBALLOC_UNIT, bytes);
    if (!memory || !attached->has_window || armcii_window_attach(&attached->window, memory, bytes) == 0) return memory;
    free_memory(memory);
    return NULL;
}

/* Is so much left?  Only shared memory is counted as given out from then on, as regions are. */
static bool has_memory(size_t bytes)
{
    size_t left;
    if (!armcii_reservation_try(bytes, &left)) return false;
    if (!offers_memory()) armcii_reservation_release(bytes);
    return true;
}

static void give_back(size_t bytes)
{
    if (offers_memory()) armcii_reservation_release(bytes);
}

static struct piece *add_piece(size_t bytes)
{
    size_t size = SMALLEST_PIECE;
    struct piece **last = &pieces, *p;
    for (; *last; last = &(*last)->next) size += (*last)->bytes;
    if (size < bytes || !has_memory(size)) {
        size = bytes;
        if (!has_memory(size)) return NULL;
    }
    p = calloc(1, sizeof *p);
    if (!p || !armcii_suballoc_start(&p->parts, size)) armcii_fatal("out of memory for a table of %zu bytes", size);
    p->bytes = size;
    p->memory = new_memory(size);
    if (p->memory) return *last = p;
    give_back(size);
    armcii_suballoc_end(&p->parts);
    free(p);
    return NULL;
}

static char *allocate(size_t bytes)
{
    struct piece *p;
    for (p = pieces; p; p = p->next) {
        size_t offset = armcii_suballoc_take(&p->parts, bytes);
        if (offset != SUBALLOC_NONE) return p->memory + offset;
    }
    p = add_piece(rounded(bytes));
    size_t offset = p ? armcii_suballoc_take(&p->parts, bytes) : SUBALLOC_NONE;
    return offset != SUBALLOC_NONE ? p->memory + offset : NULL;
}

/* The piece that memory is part of; NULL if none. */
static struct piece *piece_of(const char *memory)
{
    struct piece *p = pieces;
    while (p && (memory < p->memory || memory >= p->memory + p->bytes)) p = p->next;
    return p;
}

static void free_pieces(void)
{
    while (pieces) {
        struct piece *p = pieces;
        pieces = p->next;
        if (attached->has_window) armcii_window_detach(&attached->window, p->memory);
        free_memory(p->memory);
        give_back(p->bytes);
        armcii_suballoc_end(&p->parts);
        free(p);
    }
}

/* The server that each node has from the start finds all that is on offer there. */
static void serve_offers(void)
{
    attached->served = calloc((size_t)armcii_world->size, sizeof *attached->served);
    if (!attached->served) armcii_fatal("out of memory for tables of %d processes", armcii_world->size);
    for (int i = 0; i < armcii_world->size; i++) attached->served[i] = (struct served){armcii_world->server_of[i], AM_EXPORTED};
}

void armcii_memget_start(void)
{
    attached = calloc(1, sizeof *attached);
    if (!attached) armcii_fatal("out of memory");
    attached->attached = true;
    attached->team = armcii_team_world();
    attached->has_window = !offers_memory() || (armcii_world->nodes > 1 && !armcii_am_on);
    if (armcii_am_on) serve_offers();
    if (!attached->has_window) return;
    if (armcii_world->size > 1 && armcii_window_create_dynamic(&attached->window, armcii_world->comm) == 0) return;
    free(attached);
    attached = NULL;
}

void armcii_memget_end(void)
{
    free_pieces();
    armcii_server_release(NULL, (char *)UINTPTR_MAX); /* what is on offer goes, too */
    armcii_exports_end();
    if (attached && attached->has_window) armcii_window_free(&attached->window);
    if (attached) free(attached->served);
    free(attached);
    attached = NULL;
    in_use = false;
}

/* With one process every call is collective: an ordinary region will do, and not every MPI library gives a dynamic window there. */
static void *create_alone(size_t bytes)
{
    bool nothing;
    struct region *r = armcii_region_create(armcii_team_world(), (long)bytes, &nothing);
    return r ? r->base[0] : NULL;
}

void *armcii_memget_create(size_t bytes)
{
    if (armcii_world->size == 1) return create_alone(bytes);
    if (!attached) return NULL;
    char *memory = allocate(bytes);
    if (!memory) return NULL;
    armcii_directory_add(armcii_world->rank, memory, bytes, attached, offers_memory() ? memory : NULL);
    in_use = true;
    armcii_stats_region_made(bytes);
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
    armcii_stats_region_gone((size_t)(raddr.hi - raddr.lo));
    armcii_directory_remove(armcii_world->rank, memory, attached);
    armcii_suballoc_give(&p->parts, (size_t)((char *)memory - p->memory), (size_t)(raddr.hi - raddr.lo));
    return true;
}

/* Is its memory reached through a server? */
static bool is_served(int process)
{
    return attached->served && armcii_node->rank_of[process] < 0;
}

/* A neighbour may have it on offer: then the whole offer becomes known. */
static bool learn_offer(int process, const void *address)
{
    char *base, *mapped;
    size_t bytes;
    int who = offers_memory() ? armcii_node->rank_of[process] : -1;
    if (!attached || process == armcii_world->rank || who < 0 || !armcii_export_attach(who, address, &base, &bytes, &mapped)) return false;
    armcii_directory_add(process, base, bytes, attached, mapped);
    return true;
}

/* [memory, memory + bytes) lies in what is known of the process. */
static bool is_known(int process, const char *memory, size_t bytes)
{
    struct raddr raddr;
    return armcii_region_locate(process, memory, &raddr) && bytes <= (size_t)(raddr.hi - memory);
}

/* Its own memory a process knows, and that of a neighbour's offers.  Of all other memory older knowledge that contradicts is of memory
 * freed meanwhile. */
bool armcii_memget_learn(int process, void *memory, size_t bytes)
{
    struct raddr raddr;
    bool found = armcii_region_locate(process, memory, &raddr);
    if (armcii_world->size == 1) return found && raddr.lo == memory && is_known(process, memory, bytes);
    if (!attached || (found && !raddr.region->attached)) return false;
    if (is_known(process, memory, bytes)) return true;
    if (process == armcii_world->rank) return false;
    if (learn_offer(process, memory)) return is_known(process, memory, bytes);
    if (!attached->has_window && !is_served(process)) return false;
    in_use = true;
    armcii_directory_add(process, memory, bytes, attached, NULL);
    return true;
}

bool armcii_memget_locate(int process, const void *address, size_t bytes, struct raddr *raddr)
{
    if (armcii_region_locate(process, address, raddr)) return true;
    if (!attached || !address) return false;
    if (learn_offer(process, address)) return armcii_region_locate(process, address, raddr);
    if (!in_use || (!attached->has_window && !is_served(process))) return false;
    *raddr = (struct raddr){.region = attached, .rank = process, .lo = (char *)address, .hi = (char *)address + bytes};
    if (is_served(process)) {
        raddr->served = true;
        raddr->server = attached->served[process].server;
        raddr->delta = attached->served[process].delta;
    }
    return true;
}
