/* team_memory.h - what a team has in the arena (node/arena.h): units for its regions, cells through
 * which its members agree (node/agree.h), and tables. */
#ifndef ARMCII_TEAM_MEMORY_H
#define ARMCII_TEAM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi/team.h"

/* Slices of so many bytes are in the zone of the arena, with huge pages; smaller ones in the slots.
 */
enum { ZONE_MIN_SLICE = 2 << 20 };

/* Units of the arena that a team has. */
struct extent {
    size_t offset, bytes;
    void *attached;      /* by a transport: what that keeps */
    bool is_refused;     /* on all members: it could not attach */
    struct extent *next; /* of the same team */
};

/* Where slices of a team's members are in the arena. */
struct placement {
    size_t offset, span;
    size_t stride;         /* 0: they are not there */
    struct extent *extent; /* of the slots: holds all slices; NULL: they are in the zone */
};

/* Collective over the team: place slices of at most `bytes` bytes. False, with nothing set, if
 * there is no room. A slice of less than 4 KiB shares no cache line with others, a larger one no
 * page of 4 KiB, one in the zone no huge page. */
bool armcii_team_memory_alloc(struct team *team, size_t bytes, struct placement *place);
/* No member accesses it any more. Every member calls it, at the same point between its other calls
 * for the team. */
void armcii_team_memory_free(struct team *team, const struct placement *place);
/* True if the offset is in units of the zone that one of the caller's teams has on the node of the
 * process. */
bool armcii_team_memory_has(int process, size_t offset);
/* The most that an allocation of `bytes` bytes takes on a node. */
size_t armcii_team_memory_on_node(const struct team *team, size_t bytes);

/* Collective: a table of `mine` of all members, once on each node. The first members of the nodes
 * exchange log2(nodes) messages, others send none. NULL, on every member, where the team has no
 * room for it in the arena. */
size_t *armcii_team_share(struct team *team, size_t mine);
/* As armcii_team_memory_free. Members may read the table until they enter the next agreement of
 * the team. */
void armcii_team_unshare(struct team *team, const size_t *table);

#endif
