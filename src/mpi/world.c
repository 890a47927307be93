/* world.c - the processes ARMCI runs on. */
#include "mpi/world.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/backoff.h"
#include "mpi/coll.h"
#include "mpi/errors.h"
#include "mpi/progress.h"

static struct world the_world;
const struct world *const armcii_world = &the_world;

/* Lays the tables out in the block; returns the number of their entries. */
static size_t lay_out_tables(struct world *w, int *block)
{
    const struct {
        int **table, n;
    } tables[] = {{&w->identity, w->size}, {&w->domain_of, w->size},
                  {&w->members, w->size},  {&w->first_member, w->domains + 2},
                  {&w->node_of, w->size},  {&w->local_rank_of, w->size},
                  {&w->leaders, w->nodes}};
    size_t all = 0;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        *tables[i].table = block ? block + all : NULL;
        all += (size_t)tables[i].n;
    }
    w->tables = block;
    return all;
}

/* Numbers the domains and lists their members. */
static void number_domains(struct world *w)
{
    const bool every_rank_a_domain = w->domains > w->nodes;
    for (int r = 0, n = 0; r < w->size; r++) {
        int leader = every_rank_a_domain ? r : w->node_of[r];
        w->domain_of[r] = leader == r ? n++ : w->domain_of[leader];
    }
    for (int r = 0; r < w->size; r++)
        w->first_member[w->domain_of[r] + 2]++;
    for (int n = 1; n <= w->domains; n++)
        w->first_member[n + 1] += w->first_member[n];
    for (int r = 0; r < w->size; r++) /* first_member[n + 1] becomes the end of domain n */
        w->members[w->first_member[w->domain_of[r] + 1]++] = r;
}

/* Other processes may wait in MPI for this one. */
static bool progress_mpi(void)
{
    armcii_mpi_progress(the_world.control);
    return false;
}

static void create_comms(struct world *w, MPI_Comm comm)
{
    MPI_Request requests[3];
    MPI_Comm_rank(comm, &w->rank);
    MPI_Comm_size(comm, &w->size);
    MPI_Comm_idup(comm, &w->comm, &requests[0]);
    MPI_Comm_idup(comm, &w->messages, &requests[1]);
    MPI_Comm_idup(comm, &w->control, &requests[2]);
    for (int i = 0; i < 3; i++)
        armcii_coll_wait(&requests[i]);
    armcii_errors_prepare_threads(w->control);
    armcii_backoff.progress = progress_mpi;
}

/* Find the node of the caller, and count the nodes. No group of MPI: MPICH's may have 16 bytes for
 * each process of the job. */
static void find_node(struct world *w)
{
    w->nodes = 1;
    if (armcii_coll_is_one_node(w->comm)) {
        w->on_node = w->comm;
        return;
    }
    w->on_node = armcii_coll_split_by_node(w->comm, w->rank);
    w->leader = w->rank; /* of the node's process 0, which has the lowest */
    armcii_coll_bcast(&w->leader, (int)sizeof w->leader, 0, w->on_node);
    const int leads = w->leader == w->rank;
    armcii_coll_allreduce(&leads, &w->nodes, 1, MPI_INT, MPI_SUM, w->comm);
}

/* Write node_of, or only take part. A block of processes at a time: in a large job a process has
 * no memory for a table of all. In place, which keeps Open MPI from a ring of all processes. */
static void gather_leaders(const struct world *w, bool writes)
{
    enum { BLOCKS = 16, SMALLEST = 1024 };
    const int room = w->size / BLOCKS > SMALLEST ? w->size / BLOCKS : SMALLEST;
    int *block = armcii_alloc((size_t)room, sizeof *block, "tables of %d processes", w->size);
    for (int first = 0; first < w->size && w->nodes > 1; first += room) {
        const int n = w->size - first < room ? w->size - first : room;
        memset(block, 0, (size_t)n * sizeof *block);
        if (w->rank >= first && w->rank - first < n) block[w->rank - first] = w->leader;
        armcii_coll_allreduce(MPI_IN_PLACE, block, n, MPI_INT, MPI_MAX, w->comm);
        if (writes) memcpy(w->node_of + first, block, (size_t)n * sizeof *block);
    }
    free(block);
}

/* Counts in `members`, which number_domains fills. */
static void number_local_ranks(struct world *w)
{
    for (int r = 0; r < w->size; r++)
        w->local_rank_of[r] = w->members[w->node_of[r]]++;
}

void armcii_world_create(MPI_Comm comm, bool every_rank_a_domain)
{
    struct world *w = &the_world;
    create_comms(w, comm);
    find_node(w);
    w->domains = every_rank_a_domain ? w->size : w->nodes;
    w->table_bytes = lay_out_tables(w, NULL) * sizeof *w->tables;
}

void armcii_world_fill_tables(int *place)
{
    struct world *w = &the_world;
    const bool writes = !place || w->leader == w->rank;
    w->shares_tables = place != NULL;
    lay_out_tables(w, place ? place
                            : armcii_alloc(1, w->table_bytes, "tables of %d processes", w->size));
    gather_leaders(w, writes);
    if (writes) {
        for (int r = 0, n = 0; r < w->size; r++) {
            w->identity[r] = r;
            if (w->node_of[r] == r) w->leaders[n++] = r;
        }
        number_local_ranks(w);
        number_domains(w);
    }
    if (place) armcii_coll_barrier(w->on_node);
    w->node = armcii_world_node_number(w->leader);
    w->domain = w->domain_of[w->rank];
}

void armcii_world_free(void)
{
    struct world *w = &the_world;
    armcii_backoff.progress = armcii_progress_nothing;
    MPI_Comm_free(&w->control);
    MPI_Comm_free(&w->messages);
    if (w->on_node != w->comm) MPI_Comm_free(&w->on_node);
    MPI_Comm_free(&w->comm);
    if (!w->shares_tables) free(w->tables);
    memset(w, 0, sizeof *w);
}
