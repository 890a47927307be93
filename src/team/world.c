/* world.c - the processes ARMCI runs on. */
#include "team/world.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/wait.h"
#include "mpi/window.h"

static struct world the_world;
const struct world *const armcii_world = &the_world;

static int *new_ints(int n)
{
    int *p = calloc(n > 0 ? (size_t)n : 1, sizeof *p);
    if (!p) armcii_fatal("out of memory for tables of %d processes", n);
    return p;
}

/* The lowest rank on the caller's node. */
static int node_leader(MPI_Comm comm, int rank)
{
    MPI_Comm node;
    int leader = rank;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Bcast(&leader, 1, MPI_INT, 0, node);
    MPI_Comm_free(&node);
    return leader;
}

/* From leader_of[rank] to numbered nodes with their members. */
static void number_nodes(struct world *w, const int *leader_of)
{
    w->nodes = 0;
    for (int r = 0; r < w->size; r++)
        w->node_of[r] = leader_of[r] == r ? w->nodes++ : w->node_of[leader_of[r]];
    w->node = armcii_world_is_member() ? w->node_of[w->rank] : -1;
    w->first_member = new_ints(w->nodes + 1);
    for (int r = 0; r < w->size; r++) w->first_member[w->node_of[r] + 1]++;
    for (int n = 0; n < w->nodes; n++) w->first_member[n + 1] += w->first_member[n];
    int *filled = new_ints(w->nodes);
    for (int r = 0; r < w->size; r++) {
        int n = w->node_of[r];
        w->members[w->first_member[n] + filled[n]++] = r;
    }
    free(filled);
}

/* Others may wait in MPI for this process. */
static bool let_mpi_progress(void)
{
    armcii_window_progress(the_world.control);
    return false;
}

/* The world is all of comm but the ranks set aside. */
static void separate(struct world *w, MPI_Comm comm, int aside)
{
    MPI_Comm_dup(comm, &w->all);
    MPI_Comm_rank(comm, &w->rank);
    MPI_Comm_size(comm, &w->size);
    w->aside = aside;
    w->size -= aside;
    w->comm = w->all;
    w->messages = w->control = MPI_COMM_NULL;
    if (aside > 0) MPI_Comm_split(comm, armcii_world_is_member() ? 0 : MPI_UNDEFINED, w->rank, &w->comm);
    if (!armcii_world_is_member()) return;
    MPI_Comm_dup(w->comm, &w->messages);
    MPI_Comm_dup(w->comm, &w->control);
    armcii_wait_serve = let_mpi_progress;
}

static void find_hosts(struct world *w)
{
    w->host_of = new_ints(w->size + w->aside);
    w->agent_of = new_ints(w->size);
    int leader = node_leader(w->all, w->rank);
    MPI_Allgather(&leader, 1, MPI_INT, w->host_of, 1, MPI_INT, w->all);
    int *agent_at = new_ints(w->size); /* by the host's name */
    for (int r = 0; r < w->size; r++) w->hosts += w->host_of[r] == r;
    for (int r = 0; r < w->size; r++) agent_at[r] = r;
    for (int r = w->size; r < w->size + w->aside; r++) agent_at[w->host_of[r]] = r;
    for (int r = 0; r < w->size; r++) w->agent_of[r] = agent_at[w->host_of[r]];
    free(agent_at);
}

void armcii_world_create(MPI_Comm comm, int aside, bool every_rank_a_node)
{
    struct world *w = &the_world;
    separate(w, comm, aside);
    find_hosts(w);
    w->node_of = new_ints(w->size);
    w->members = new_ints(w->size);
    int *leader_of = new_ints(w->size);
    for (int r = 0; r < w->size; r++) leader_of[r] = every_rank_a_node ? r : w->host_of[r];
    number_nodes(w, leader_of);
    free(leader_of);
}

void armcii_world_free(void)
{
    struct world *w = &the_world;
    armcii_wait_serve = armcii_wait_serve_nobody;
    if (armcii_world_is_member()) {
        MPI_Comm_free(&w->control);
        MPI_Comm_free(&w->messages);
    }
    if (w->comm != w->all && w->comm != MPI_COMM_NULL) MPI_Comm_free(&w->comm);
    MPI_Comm_free(&w->all);
    free(w->node_of);
    free(w->host_of);
    free(w->agent_of);
    free(w->members);
    free(w->first_member);
    memset(w, 0, sizeof *w);
}
