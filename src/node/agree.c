/* agree.c - how the members of a team agree. */
#include "node/agree.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "base/log.h"
#include "mpi/coll.h"
#include "mpi/world.h"
#include "node/heap.h"

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

static int first_child(const struct agreement *m)
{
    return CHILDREN * m->local_rank + 1;
}

static void gather_on_node(const struct team *team, int64_t largest[])
{
    const struct agreement *m = team->agreement;
    int above = (m->local_rank - 1) / CHILDREN;
    unsigned set = m->seq % SETS;
    for (int i = 0; i < CHILDREN && first_child(m) + i < m->here; i++) {
        struct cell *own = &m->cells[m->local_rank].child[set][i];
        flag_wait(own, m->seq);
        maximize(largest, own->word);
    }
    if (m->local_rank > 0)
        flag_signal(&m->cells[above].child[set][(m->local_rank - 1) % CHILDREN], m->seq, largest);
}

void armcii_agree_between_nodes(struct team *team, int64_t largest[])
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

static void distribute_on_node(const struct team *team, int64_t largest[])
{
    const struct agreement *m = team->agreement;
    unsigned set = m->seq % SETS;
    if (m->local_rank > 0) {
        struct cell *own = &m->cells[m->local_rank].result[set];
        flag_wait(own, m->seq);
        memcpy(largest, own->word, sizeof own->word);
    }
    for (int i = 0; i < CHILDREN && first_child(m) + i < m->here; i++)
        flag_signal(&m->cells[first_child(m) + i].result[set], m->seq, largest);
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
    if (!team->agreement || !team->agreement->cells) {
        armcii_coll_allreduce(mine, largest, n, MPI_INT64_T, MPI_MAX, team->comm);
        return;
    }
    memcpy(word, mine, (size_t)n * sizeof word[0]);
    armcii_agree_by(team, word, armcii_agree_between_nodes);
    memcpy(largest, word, (size_t)n * sizeof word[0]);
}

/* ---- start and end ---- */

/* The first members of the nodes, in the order of their ranks, and where the caller is. */
static void find_nodes(struct team *team)
{
    struct agreement *m = team->agreement;
    int n = team->size;
    int *on_node = armcii_alloc((size_t)armcii_world->nodes, sizeof *on_node, "tables of %d nodes",
                                armcii_world->nodes);
    m->leaders = armcii_alloc((size_t)n, sizeof *m->leaders, "tables of %d processes", n);
    for (int i = 0; i < n; i++) {
        int process = team->to_world[i],
            node = armcii_world_node_number(armcii_world->node_of[process]);
        bool here = armcii_world_is_on_node(process);
        size_t local_rank = (size_t)armcii_world->local_rank_of[process];
        if (local_rank >= m->local_ranks) m->local_ranks = local_rank + 1;
        m->local_rank += here && i < team->rank;
        m->here += here;
        if (++on_node[node] > m->most_on_node) m->most_on_node = on_node[node];
        if (on_node[node] > 1) continue;
        if (here) m->node = m->nodes;
        m->leaders[m->nodes++] = process;
    }
    int *fewer = realloc(m->leaders, (size_t)m->nodes * sizeof *fewer);
    if (fewer) m->leaders = fewer;
    free(on_node);
}

/* What each member tells the others. */
struct told {
    int64_t cells; /* of the first member on a node: their offset; -1: there is no room */
    int tag;
};

/* The team rank of the leader that is `distance` nodes below the caller's. */
static int leader_below(const struct team *team, int distance)
{
    const struct agreement *m = team->agreement;
    return armcii_team_rank(team, m->leaders[(m->node - distance + m->nodes) % m->nodes]);
}

void armcii_agreement_start(struct team *team)
{
    struct agreement *m = team->agreement;
    find_nodes(team);
    void *cells = m->local_rank == 0 && armcii_heap->bytes > 0
                      ? armcii_heap_share((size_t)m->here * sizeof(struct cells), m->here)
                      : NULL;
    struct told mine = {cells ? (int64_t)armcii_heap_offset(cells) : -1, team->tag},
                *told = armcii_alloc((size_t)team->size, sizeof *told, "tables of %d processes",
                                     team->size);
    armcii_coll_allgather(&mine, told, (int)sizeof mine, team->comm);
    for (int i = 0, distance = 1; distance < m->nodes; i++, distance *= 2)
        m->leader_tag[i] = told[leader_below(team, distance)].tag;
    bool all = true;
    for (int i = 0; i < m->nodes; i++)
        all = all && told[leader_below(team, i)].cells >= 0;
    if (all)
        m->cells = (struct cells *)(void *)(armcii_heap->base + told[leader_below(team, 0)].cells);
    else if (cells)
        for (int i = 0; i < m->here; i++)
            armcii_heap_leave(cells);
    free(told);
}

void armcii_agreement_end(struct agreement *m)
{
    if (m->cells) armcii_heap_leave(m->cells);
    free(m->leaders);
}
