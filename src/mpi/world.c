/* world.c - the processes ARMCI runs on. */
#include "mpi/world.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/lock.h"
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

/* Numbers the domains and lists their members. */
static void number_domains(struct world *w, bool every_rank_a_domain)
{
    for (int r = 0; r < w->size; r++) {
        int leader = every_rank_a_domain ? r : w->node_of[r];
        w->domain_of[r] = leader == r ? w->domains++ : w->domain_of[leader];
    }
    w->domain = armcii_world_is_member() ? w->domain_of[w->rank] : -1;
    w->first_member = new_ints(w->domains + 2);
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

/* The world is comm without the progress ranks. */
static void create_comms(struct world *w, MPI_Comm comm, int progress_ranks)
{
    MPI_Comm_dup(comm, &w->all);
    MPI_Comm_rank(comm, &w->rank);
    MPI_Comm_size(comm, &w->size);
    w->progress_ranks = progress_ranks;
    w->size -= progress_ranks;
    w->comm = w->all;
    w->messages = w->control = MPI_COMM_NULL;
    if (progress_ranks > 0) MPI_Comm_split(comm, armcii_world_is_member() ? 0 : MPI_UNDEFINED, w->rank, &w->comm);
    if (!armcii_world_is_member()) return;
    MPI_Comm_dup(w->comm, &w->messages);
    MPI_Comm_dup(w->comm, &w->control);
    armcii_progress_hook = progress_mpi;
}

static void find_nodes(struct world *w, int progress_rank)
{
    w->node_of = new_ints(w->size + w->progress_ranks);
    w->server_of = new_ints(w->size + w->progress_ranks);
    int leader = node_leader(w->all, w->rank), server = progress_rank < w->progress_ranks ? w->size + progress_rank : leader;
    MPI_Allgather(&leader, 1, MPI_INT, w->node_of, 1, MPI_INT, w->all);
    MPI_Allgather(&server, 1, MPI_INT, w->server_of, 1, MPI_INT, w->all);
    w->leaders = new_ints(w->size);
    for (int r = 0; r < w->size; r++) {
        if (r == leader) w->node = w->nodes;
        if (w->node_of[r] == r) w->leaders[w->nodes++] = r;
    }
}

static void number_local_ranks(struct world *w)
{
    int *members = new_ints(w->size);
    w->local_rank_of = new_ints(w->size);
    for (int r = 0; r < w->size; r++)
        w->local_rank_of[r] = members[w->node_of[r]]++;
    free(members);
}

void armcii_world_create(MPI_Comm comm, int progress_ranks, int progress_rank, bool every_rank_a_domain)
{
    struct world *w = &the_world;
    create_comms(w, comm, progress_ranks);
    find_nodes(w, progress_rank);
    number_local_ranks(w);
    w->domain_of = new_ints(w->size);
    w->members = new_ints(w->size);
    number_domains(w, every_rank_a_domain);
}

void armcii_world_free(void)
{
    struct world *w = &the_world;
    armcii_progress_hook = armcii_progress_nothing;
    if (armcii_world_is_member()) {
        MPI_Comm_free(&w->control);
        MPI_Comm_free(&w->messages);
    }
    if (w->comm != w->all && w->comm != MPI_COMM_NULL) MPI_Comm_free(&w->comm);
    MPI_Comm_free(&w->all);
    free(w->domain_of);
    free(w->node_of);
    free(w->local_rank_of);
    free(w->leaders);
    free(w->server_of);
    free(w->members);
    free(w->first_member);
    memset(w, 0, sizeof *w);
}
