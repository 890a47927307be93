/* agree.h - how the members of a team agree: an allreduce that is a barrier, too. */
#ifndef ARMCII_AGREE_H
#define ARMCII_AGREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi/team.h"

/* An allreduce: largest[i] is the largest mine[i] of all members, i < n <= AGREE_WORDS. No member
 * returns before all have called. Where the team has memory in the heap, the members of a node
 * use that, and its first member exchanges log2(nodes) messages; else MPI. */
enum { AGREE_WORDS = 4 };
void armcii_agree(struct team *team, const int64_t mine[], int64_t largest[], int n);

/* ---- for the memory of a team (range.h) ---- */

/* The members on their nodes. */
struct agreement {
    struct cells *cells;             /* [here], in the heap; NULL: by MPI */
    unsigned seq;                    /* of the last agreement */
    int here, local_rank;            /* members on the caller's node, the caller's rank in them */
    int node, nodes;                 /* the caller's node, and the number of nodes with members */
    int most_on_node;                /* members on the node that has most */
    size_t local_ranks;              /* of the members: the highest + 1 */
    int *leaders;                    /* [nodes]: world ranks of their first members */
    int leader_tag[8 * sizeof(int)]; /* [i]: of messages from the leader 2^i nodes below */
};

/* Collective. */
void armcii_agreement_start(struct team *team);
/* The last agreement of the team has been. */
void armcii_agreement_end(struct agreement *agreement);
/* What the members of each node know goes up to its leader, the leaders `exchange`, and the result
 * comes down. Requires cells. */
void armcii_agree_by(struct team *team, int64_t word[],
                     void (*exchange)(struct team *team, int64_t *word));
/* By all leaders: word[i] becomes the largest of theirs. */
void armcii_agree_between_nodes(struct team *team, int64_t word[]);

#endif
