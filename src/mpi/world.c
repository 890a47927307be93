/* world.c - the processes ARMCI runs on. */
#include "mpi/world.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/backoff.h"
#include "mpi/coll.h"
#include "mpi/errors.h"
#include "mpi/window.h"

static struct world the_world;
const struct world *const armcii_world = &the_world;

/* Lays the tables out in the block; returns the number of their entries. w->domains is not yet
 * counted. */
static size_t lay_out_tables(struct world *w, int domains, int *block)
{
    const struct {
        int **table, n;
    } tables[] = {{&w->identity, w->size}, {&w->domain_of, w->size},
                  {&w->members, w->size},  {&w->first_member, domains + 2},
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

static void allocate_tables(struct world *w, int domains)
{
    w->table_bytes = lay_out_tables(w, domains, NULL) * sizeof *w->tables;
    lay_out_tables(w, domains, armcii_alloc(1, w->table_bytes, "tables of %d processes", w->size));
}

void armcii_world_use_tables(int *place)
{
    if (!place) return;
    free(the_world.tables);
    lay_out_tables(&the_world, the_world.domains, place);
    the_world.shares_tables = true;
}

/* Numbers the domains and lists their members. */
static void number_domains(struct world *w, bool every_rank_a_domain)
{
    for (int r = 0; r < w->size; r++) {
        int leader = every_rank_a_domain ? r : w->node_of[r];
        w->domain_of[r] = leader == r ? w->domains++ : w->domain_of[leader];
    }
    w->domain = w->domain_of[w->rank];
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
    armcii_window_progress(the_world.control);
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

/* The lowest rank on the caller's node. */
static int node_leader(const struct world *w)
{
    MPI_Group node, all;
    int first = 0, leader;
    MPI_Comm_group(w->on_node, &node);
    MPI_Comm_group(w->comm, &all);
    MPI_Group_translate_ranks(node, 1, &first, all, &leader);
    MPI_Group_free(&node);
    MPI_Group_free(&all);
    return leader;
}

/* The lowest rank on the node of each process. On one host that is 0, and the node uses the
 * communicator of the world. */
static void gather_leaders(struct world *w, int leaders[])
{
    if (armcii_coll_is_one_node(w->comm)) {
        w->on_node = w->comm;
        return;
    }
    w->on_node = armcii_coll_split_by_node(w->comm, w->rank);
    int mine = node_leader(w);
    armcii_coll_allgather(&(struct ring){.rank = w->rank, .size = w->size, .comm = w->comm}, &mine,
                          leaders, (int)sizeof mine);
}

static void find_nodes(struct world *w, bool every_rank_a_domain)
{
    int *leaders =
        armcii_alloc((size_t)w->size, sizeof *leaders, "tables of %d processes", w->size);
    gather_leaders(w, leaders);
    for (int r = 0; r < w->size; r++)
        w->nodes += leaders[r] == r;
    allocate_tables(w, every_rank_a_domain ? w->size : w->nodes);
    for (int r = 0; r < w->size; r++)
        w->node_of[r] = leaders[r];
    free(leaders);
    for (int r = 0, n = 0; r < w->size; r++) {
        w->identity[r] = r;
        if (w->node_of[r] == r) w->leaders[n++] = r;
    }
    w->node = armcii_world_node_number(w->node_of[w->rank]);
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
    find_nodes(w, every_rank_a_domain);
    number_local_ranks(w);
    number_domains(w, every_rank_a_domain);
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
