/* range.h - what a team has in the heaps of its nodes (node/heap.h): ranges for its regions, at the
 * same offset on all nodes, and tables that the members on a node share. */
#ifndef ARMCII_RANGE_H
#define ARMCII_RANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi/team.h"

/* Slices of so many bytes have huge pages. */
enum { LARGE_SLICE = 2 << 20 };
/* The memory of slices of so many bytes goes back to the system; of less, that is not worth the
 * calls. */
enum { RETURNED_SLICE = 64 << 10 };

/* A range for several regions of small slices, which one window of MPI makes reachable. */
struct chunk {
    size_t offset, bytes;
    void *attached;     /* by a transport: what that keeps */
    bool is_refused;    /* on all members: it could not attach */
    struct chunk *next; /* of the same team */
};

/* Where slices of a team's members are in the heap: armcii_heap_address. */
struct range {
    size_t offset, bytes;
    size_t stride;       /* from one process of the node to the next; 0: there is no range */
    struct chunk *chunk; /* that holds the range; NULL: none */
};

/* True if the heap keeps the pages of the range when it is freed. An adapter may have registered
 * those of a chunk for its window. */
static inline bool armcii_range_keeps_pages(const struct range *range)
{
    return range->chunk || range->stride < RETURNED_SLICE;
}

/* Collective over the team: a range for slices of at most `bytes` bytes. False, with nothing set,
 * if there is no room. A slice of less than 4 KiB shares no cache line with others, a longer one no
 * page of 4 KiB, one of RETURNED_SLICE no page of 64 KiB, a large one no huge page. in_chunk: a
 * small one lies in a chunk. */
bool armcii_range_alloc(struct team *team, size_t bytes, bool in_chunk, struct range *range);
/* No member accesses it any more. Every member calls it, at the same point between its other calls
 * for the team. */
void armcii_range_free(struct team *team, const struct range *range);
/* The most that slices of `bytes` bytes take on a node. */
size_t armcii_range_on_node(const struct team *team, size_t bytes);

/* Collective: a table of `mine` of all members, once on each node. The first members of the nodes
 * exchange log2(nodes) messages, others send none. NULL, on every member, where a node has no room
 * for it in its heap. */
size_t *armcii_team_share(struct team *team, size_t mine);
/* The caller reads the table no more. */
void armcii_team_unshare(size_t *table);

#endif
