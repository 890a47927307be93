/* team_memory.h - what a team has in the arena (transport/shm/arena.h): units for its regions, and
 * cells through which its members agree.
 */
#ifndef ARMCII_TEAM_MEMORY_H
#define ARMCII_TEAM_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "mpi/team.h"
#include "transport/transport.h"

/* The extent that holds at least `bytes` bytes, at *offset in the slots of all members; NULL if
 * there is no room.  Collective over the team. A slice of less than 4 KiB shares no cache line with
 * others, a larger one no page of 4 KiB. */
struct extent *armcii_team_memory_alloc(struct team *team, size_t bytes, size_t *offset);
/* No member accesses them any more.  Every member calls it, at the same point between its other
 * calls for the team. */
void armcii_team_memory_free(struct team *team, size_t offset, size_t bytes);
/* The most that an allocation of `bytes` bytes takes on a node. */
size_t armcii_team_memory_on_node(const struct team *team, size_t bytes);

/* An allreduce: largest[i] is the largest mine[i] of all members, i < n <= AGREE_WORDS.  No member
 * returns before all have called.  Where the team has memory in the arena, the members of a node
 * use that, and its first member exchanges log2(nodes) messages; else MPI. */
enum { AGREE_WORDS = 4 };
void armcii_agree(struct team *team, const int64_t mine[], int64_t largest[], int n);

#endif
