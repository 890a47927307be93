/* agree.c - how the members of a team agree. */
#include "node/agree.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "base/log.h"
#include "mpi/coll.h"
#include "mpi/world.h"
#include "node/arena.h"

/* A value that one process passes to another on its node. The number of the agreement, `seq`, is
 * written last. */
struct cell {
    _Alignas(64) atomic_uint seq;
    int64_t word[AGREE_WORDS];
};

/* A tree over the members on a node: values go up to the first of them, the result comes down. A
 * process runs twice, however many there are, which counts where they outnumber the processors.
 * Two sets of flags alternate: agreement n + 2 cannot start before every member has left n, so that
 * a set can be used again. */
enum { CHILDREN = 4, SETS = 2 };
struct cells {
    struct cell child[SETS][CHILDREN];
    struct cell result[SETS];
};
_Static_assert(sizeof(struct cells) == AGREE_BYTES, "who allocates them knows their size");

static struct cells *cells_of(const struct team *team, int process)
{
    return (struct cells *)(void *)armcii_arena_address(process, team->agreement->cells,
                                                        armcii_arena->slot);
}

static void flag_signal(struct cell *cell, unsigned seq, const int64_t word[])
{
    memcpy(cell->word, word, sizeof cell->word);
    atomic_store_explicit(&cell->seq, seq, memory_order_release);
}

static void flag_wait(struct cell *cell, unsigned seq)
{
    struct backoff b = {0};
    while (atomic_load_explicit(&cell->seq, memory_order_acquire) != seq)
        if (armcii_backoff_yield(&b)) armcii_backoff.progress();
}

static void maximize(int64_t largest[], const int64_t word[])
{
    for (int i = 0; i < AGREE_WORDS; i++)
        if (word[i] > largest[i]) largest[i] = word[i];
}

/* The cells of the i-th member on the node. */
static struct cells *cells_here(struct team *team, int i)
{
    const struct scope *here = armcii_team_scope(team, TEAM_NODE);
    return cells_of(team, team->to_world[armcii_scope_member(here, i)]);
}

static int first_child(const struct agreement *m)
{
    return CHILDREN * m->local_rank + 1;
}

/* A process waits at its own cells only, here and for the result, since the others may free the
 * team, and use the memory again, once they have the result. */
static void gather_on_node(struct team *team, int64_t largest[])
{
    const struct agreement *m = team->agreement;
    int here = armcii_team_scope(team, TEAM_NODE)->n, above = (m->local_rank - 1) / CHILDREN;
    unsigned set = m->seq % SETS;
    for (int i = 0; i < CHILDREN && first_child(m) + i < here; i++) {
        struct cell *own = &cells_here(team, m->local_rank)->child[set][i];
        flag_wait(own, m->seq);
        maximize(largest, own->word);
    }
    if (m->local_rank > 0)
        flag_signal(&cells_here(team, above)->child[set][(m->local_rank - 1) % CHILDREN], m->seq,
                    largest);
}

static void agree_between_nodes(struct team *team, int64_t largest[])
{
    const struct agreement *m = team->agreement;
    for (int i = 0, distance = 1; distance < m->nodes; i++, distance *= 2) {
        int64_t word[AGREE_WORDS];
        struct peer to = {m->leaders[(m->node + distance) % m->nodes], team->tag};
        struct peer from = {m->leaders[(m->node - distance + m->nodes) % m->nodes],
                            m->leader_tag[i]};
        armcii_coll_sendrecv(largest, to, word, from, (int)sizeof word, armcii_world->control);
        maximize(largest, word);
    }
}

static void distribute_on_node(struct team *team, int64_t largest[])
{
    const struct agreement *m = team->agreement;
    int here = armcii_team_scope(team, TEAM_NODE)->n;
    unsigned set = m->seq % SETS;
    if (m->local_rank > 0) {
        struct cell *own = &cells_here(team, m->local_rank)->result[set];
        flag_wait(own, m->seq);
        memcpy(largest, own->word, sizeof own->word);
    }
    for (int i = 0; i < CHILDREN && first_child(m) + i < here; i++)
        flag_signal(&cells_here(team, first_child(m) + i)->result[set], m->seq, largest);
}

/* One after the other: what the members of a node know goes up, is exchanged between the nodes, and
 * comes down. */
void armcii_agree_by(struct team *team, int64_t largest[],
                     void (*exchange)(struct team *, int64_t *))
{
    struct agreement *m = team->agreement;
    unsigned entries = armcii_lock_suspend();
    m->seq++;
    gather_on_node(team, largest);
    if (m->local_rank == 0) exchange(team, largest);
    distribute_on_node(team, largest);
    armcii_lock_resume(entries);
}

void armcii_agree(struct team *team, const int64_t mine[], int64_t largest[], int n)
{
    int64_t word[AGREE_WORDS] = {0};
    if (!team->agreement || !team->agreement->has_cells) {
        armcii_coll_allreduce(mine, largest, n, MPI_INT64_T, MPI_MAX, team->comm);
        return;
    }
    memcpy(word, mine, (size_t)n * sizeof word[0]);
    armcii_agree_by(team, word, agree_between_nodes);
    memcpy(largest, word, (size_t)n * sizeof word[0]);
}

/* ---- creation ---- */

/* The first members of the nodes, in the order of their ranks, and the tags of those that send to
 * the caller. */
void armcii_agreement_survey(struct team *team)
{
    struct agreement *m = team->agreement;
    int n = team->size, *tags = armcii_alloc((size_t)n, sizeof *tags, "tables of %d processes", n);
    int *on_node = armcii_alloc((size_t)armcii_world->nodes, sizeof *on_node, "tables of %d nodes",
                                armcii_world->nodes);
    armcii_coll_allgather(&team->tag, tags, (int)sizeof tags[0], team->comm);
    m->leaders = armcii_alloc((size_t)n, sizeof *m->leaders, "tables of %d processes", n);
    for (int i = 0; i < n; i++) {
        int process = team->to_world[i],
            node = armcii_world_node_number(armcii_world->node_of[process]);
        bool here = armcii_world_is_on_node(process);
        size_t local_rank = (size_t)armcii_world->local_rank_of[process];
        if (local_rank >= m->local_ranks) m->local_ranks = local_rank + 1;
        if (here && i < team->rank) m->local_rank++;
        if (++on_node[node] > m->most_on_node) m->most_on_node = on_node[node];
        if (on_node[node] > 1) continue;
        if (here) m->node = m->nodes;
        m->leaders[m->nodes++] = process;
    }
    for (int i = 0, distance = 1; distance < m->nodes; i++, distance *= 2)
        m->leader_tag[i] =
            tags[armcii_team_rank(team, m->leaders[(m->node - distance + m->nodes) % m->nodes])];
    int *fewer = realloc(m->leaders, (size_t)m->nodes * sizeof *fewer);
    if (fewer) m->leaders = fewer;
    free(on_node);
    free(tags);
}

/* Another team may have used the memory before, so the cells are cleared before anybody passes a
 * value. */
void armcii_agreement_start(struct team *team, size_t cells)
{
    team->agreement->cells = cells;
    memset(cells_of(team, armcii_world->rank), 0, sizeof(struct cells));
    armcii_coll_barrier(team->comm);
    team->agreement->has_cells = true;
}
