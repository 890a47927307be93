/* groups.c - groups of processes; nodes and their processes. */
#include <stdlib.h>
#include <string.h>

#include "api/entry.h"
#include "base/config.h"
#include "base/thread.h"
#include "core/op.h"
#include "mpi/progress.h"
#include "mpi/world.h"
#include "node/node.h"
#include "transport/shm/shm.h"

static struct team *default_team; /* NULL: the world */

void armcii_groups_reset_default(void)
{
    default_team = NULL;
}

static struct team *current_default(void)
{
    return default_team ? default_team : armcii_team_world();
}

/* Fill the public group of a team; NULL: of a process that is not a member. */
static void describe(const struct team *team, ARMCI_Group *out)
{
    if (!team) {
        *out = (ARMCI_Group){MPI_COMM_NULL, MPI_COMM_NULL, NULL, NULL, -1, 0};
        return;
    }
    *out = (ARMCI_Group){team->comm, MPI_COMM_NULL, team->to_world, NULL, team->rank, team->size};
    memcpy(&out->reserved, &team->number, sizeof team->number); /* armcii_team_of reads it */
}

/* Check that every rank exists in the parent and that none repeats. 0 or an error code. */
static int check_each_rank(const char *caller, const struct team *parent, int n, const int ranks[],
                           bool seen[])
{
    for (int i = 0; i < n; i++) {
        if (ranks[i] < 0 || ranks[i] >= parent->size)
            return armcii_error(ARMCI_ERR_RANK, caller, "pid_list", "the parent has no such rank",
                                "pid_list[%d] = %d", i, ranks[i]);
        if (seen[ranks[i]])
            return armcii_error(ARMCI_ERR_RANK, caller, "pid_list", "duplicate rank",
                                "pid_list[%d] = %d", i, ranks[i]);
        seen[ranks[i]] = true;
    }
    return 0;
}

/* 0 or an error code; *member: the caller is in the list. */
static int check_ranks(const char *caller, const struct team *parent, int n, const int ranks[],
                       bool *member)
{
    if (n < 1 || n > parent->size)
        return armcii_error(ARMCI_ERR_COUNT, caller, "n",
                            "a group has at least one member and at most those of its parent", "%d",
                            n);
    int rc = armcii_check_pointer(caller, "pid_list", ranks);
    if (rc) return rc;
    bool *seen = calloc((size_t)parent->size, sizeof *seen);
    if (!seen) return armcii_error(ARMCI_ERR_MEMORY, caller, "n", "out of memory", "%d", n);
    rc = check_each_rank(caller, parent, n, ranks, seen);
    if (rc == 0) *member = seen[parent->rank];
    free(seen);
    return rc;
}

/* On every member. *out stays the group of a process that is not a member. */
static int report_refusal(const char *caller, const char *argument, int n)
{
    return armcii_error(ARMCI_ERR_MEMORY, caller, argument, "MPI creates no communicator for it",
                        "a group of %d", n);
}

/* Members whose processors others need wait for each other several times: with short time slices
 * each runs as soon as what it waits for has come. */
static void create(const char *caller, const struct team *parent, int n, const int ranks[],
                   ARMCI_Group *out)
{
    if (armcii_check_pointer(caller, "group_out", out)) return;
    describe(NULL, out);
    bool member = false;
    if (check_ranks(caller, parent, n, ranks, &member)) return;
    out->size = n;
    uint64_t timeslice = armcii_timeslice_set(TIMESLICE_SHORT);
    struct team *team = NULL;
    bool made = !member || armcii_team_create_by_members(parent, n, ranks, &team);
    armcii_timeslice_set(timeslice);
    if (!made) report_refusal(caller, "group_out", n);
    if (team) describe(team, out);
}

void PARMCI_Group_create(int n, int *pid_list, ARMCI_Group *group_out)
{
    ARMCII_ENTER(CALLER);
    if (entered) create(CALLER, current_default(), n, pid_list, group_out);
}
ARMCII_ALIAS(ARMCI_Group_create, PARMCI_Group_create);

void PARMCI_Group_create_child(int n, int *pid_list, ARMCI_Group *group_out, ARMCI_Group *parent)
{
    ARMCII_ENTER(CALLER);
    struct team *team = entered ? armcii_check_group(CALLER, "parent", parent) : NULL;
    if (team)
        create(CALLER, team, n, pid_list, group_out);
    else if (entered && group_out)
        describe(NULL, group_out);
}
ARMCII_ALIAS(ARMCI_Group_create_child, PARMCI_Group_create_child);

void PARMCI_Group_free(ARMCI_Group *group)
{
    ARMCII_ENTER(CALLER);
    if (!entered) return;
    if (group && group->comm == MPI_COMM_NULL && group->rank < 0)
        return; /* the group of a process that is not a member */
    struct team *team = armcii_check_group(CALLER, "group", group);
    if (!team) return;
    if (team == armcii_team_world()) {
        armcii_error(ARMCI_ERR_GROUP, CALLER, "group", "the world cannot be freed", "%s", "world");
        return;
    }
    if (team == default_team) default_team = NULL;
    armcii_quiesce();
    armcii_team_close(team);
    describe(NULL, group);
}
ARMCII_ALIAS(ARMCI_Group_free, PARMCI_Group_free);

int PARMCI_Group_rank(ARMCI_Group *group, int *rank)
{
    int rc = armcii_check_pointer(CALLER, "group", group);
    if (!rc) rc = armcii_check_pointer(CALLER, "rank", rank);
    if (rc) return rc;
    *rank = group->rank;
    return group->rank >= 0 ? 0 : ARMCI_ERR_GROUP;
}
ARMCII_ALIAS(ARMCI_Group_rank, PARMCI_Group_rank);

void PARMCI_Group_size(ARMCI_Group *group, int *size)
{
    if (armcii_check_pointer(CALLER, "group", group) == 0 &&
        armcii_check_pointer(CALLER, "size", size) == 0)
        *size = group->size;
}
ARMCII_ALIAS(ARMCI_Group_size, PARMCI_Group_size);

void PARMCI_Group_set_default(ARMCI_Group *group)
{
    ARMCII_ENTER(CALLER);
    struct team *team = entered ? armcii_check_group(CALLER, "group", group) : NULL;
    if (team) default_team = team;
}
ARMCII_ALIAS(ARMCI_Group_set_default, PARMCI_Group_set_default);

static void get_group(const char *caller, struct team *(*which)(void), ARMCI_Group *out)
{
    ARMCII_ENTER(caller);
    if (entered && armcii_check_pointer(caller, "group_out", out) == 0) describe(which(), out);
}

void PARMCI_Group_get_default(ARMCI_Group *group_out)
{
    get_group(CALLER, current_default, group_out);
}
ARMCII_ALIAS(ARMCI_Group_get_default, PARMCI_Group_get_default);

void PARMCI_Group_get_world(ARMCI_Group *group_out)
{
    get_group(CALLER, armcii_team_world, group_out);
}
ARMCII_ALIAS(ARMCI_Group_get_world, PARMCI_Group_get_world);

int PARMCI_Absolute_id(ARMCI_Group *group, int group_rank)
{
    ARMCII_ENTER(CALLER);
    if (!entered) return -ARMCI_ERR_STATE;
    struct team *team = armcii_check_group(CALLER, "group", group);
    if (!team) return -ARMCI_ERR_GROUP;
    if (group_rank >= 0 && group_rank < team->size) return team->to_world[group_rank];
    return -armcii_error(ARMCI_ERR_RANK, CALLER, "group_rank", "the group has no such rank",
                         "%d (of %d)", group_rank, team->size);
}
ARMCII_ALIAS(ARMCI_Absolute_id, PARMCI_Absolute_id);

MPI_Comm parmci_group_comm(ARMCI_Group *group)
{
    ARMCII_ENTER(CALLER);
    struct team *team = entered ? armcii_check_group(CALLER, "group", group) : NULL;
    return team ? team->comm : MPI_COMM_NULL;
}
ARMCII_ALIAS(armci_group_comm, parmci_group_comm);

/* ---- extensions ---- */

int PARMCIX_Group_split(ARMCI_Group *parent, int color, int key, ARMCI_Group *new_group)
{
    ARMCII_ENTER(CALLER);
    if (!entered) return ARMCI_ERR_STATE;
    struct team *team = armcii_check_group(CALLER, "parent", parent);
    if (!team) return ARMCI_ERR_GROUP;
    int rc = armcii_check_pointer(CALLER, "new_group", new_group);
    if (rc) return rc;
    struct team *made = NULL;
    bool created = armcii_team_split(team, color < 0 ? MPI_UNDEFINED : color, key, &made);
    describe(made, new_group);
    return created ? 0 : report_refusal(CALLER, "new_group", team->size);
}
ARMCII_ALIAS(ARMCIX_Group_split, PARMCIX_Group_split);

int PARMCIX_Group_dup(ARMCI_Group *parent, ARMCI_Group *new_group)
{
    ARMCII_ENTER(CALLER);
    if (!entered) return ARMCI_ERR_STATE;
    struct team *team = armcii_check_group(CALLER, "parent", parent);
    if (!team) return ARMCI_ERR_GROUP;
    int rc = armcii_check_pointer(CALLER, "new_group", new_group);
    if (rc) return rc;
    struct team *copy = NULL;
    bool made = armcii_team_dup(team, &copy);
    describe(copy, new_group);
    return made ? 0 : report_refusal(CALLER, "new_group", team->size);
}
ARMCII_ALIAS(ARMCIX_Group_dup, PARMCIX_Group_dup);

MPI_Comm PARMCIX_Get_world_comm(void)
{
    return armcii_is_running(CALLER) ? armcii_world->comm : MPI_COMM_NULL;
}
ARMCII_ALIAS(ARMCIX_Get_world_comm, PARMCIX_Get_world_comm);

/* ---- nodes: domains, shared memory, progress ---- */

static bool check_domain(const char *caller, armci_domain_t domain)
{
    if (!armcii_is_running(caller)) return false;
    if (domain == ARMCI_DOMAIN_SMP) return true;
    armcii_error(ARMCI_ERR_ARGUMENT, caller, "domain", "must be ARMCI_DOMAIN_SMP", "%d", domain);
    return false;
}

static bool check_node(const char *caller, int node)
{
    if (node >= 0 && node < armcii_world->domains) return true;
    armcii_error(ARMCI_ERR_RANK, caller, "id", "invalid node", "%d (of %d)", node,
                 armcii_world->domains);
    return false;
}

int parmci_domain_nprocs(armci_domain_t domain, int id)
{
    if (!check_domain(CALLER, domain)) return -1;
    if (id == -1) id = armcii_world->domain;
    return check_node(CALLER, id) ? armcii_domain_size(id) : -1;
}
ARMCII_ALIAS(armci_domain_nprocs, parmci_domain_nprocs);

int parmci_domain_id(armci_domain_t domain, int glob_proc_id)
{
    if (!check_domain(CALLER, domain) || armcii_check_process(CALLER, "glob_proc_id", glob_proc_id))
        return -1;
    return armcii_world->domain_of[glob_proc_id];
}
ARMCII_ALIAS(armci_domain_id, parmci_domain_id);

int parmci_domain_glob_proc_id(armci_domain_t domain, int id, int loc_proc_id)
{
    if (!check_domain(CALLER, domain) || !check_node(CALLER, id)) return -1;
    if (loc_proc_id >= 0 && loc_proc_id < armcii_domain_size(id))
        return armcii_domain_member(id, loc_proc_id);
    return -armcii_error(ARMCI_ERR_RANK, CALLER, "loc_proc_id", "the node has no such process",
                         "%d (of %d)", loc_proc_id, armcii_domain_size(id));
}
ARMCII_ALIAS(armci_domain_glob_proc_id, parmci_domain_glob_proc_id);

int parmci_domain_my_id(armci_domain_t domain)
{
    return check_domain(CALLER, domain) ? armcii_world->domain : -1;
}
ARMCII_ALIAS(armci_domain_my_id, parmci_domain_my_id);

int parmci_domain_count(armci_domain_t domain)
{
    return check_domain(CALLER, domain) ? armcii_world->domains : -1;
}
ARMCII_ALIAS(armci_domain_count, parmci_domain_count);

static int is_on_my_node(const char *caller, int process)
{
    if (!armcii_is_running(caller) || armcii_check_process(caller, "proc", process)) return 0;
    return armcii_world->domain_of[process] == armcii_world->domain;
}

int parmci_domain_same_id(armci_domain_t domain, int proc)
{
    return check_domain(CALLER, domain) && is_on_my_node(CALLER, proc);
}
ARMCII_ALIAS(armci_domain_same_id, parmci_domain_same_id);

int PARMCI_Same_node(int proc)
{
    return is_on_my_node(CALLER, proc);
}
ARMCII_ALIAS(ARMCI_Same_node, PARMCI_Same_node);

int parmci_sameclusnode(int proc)
{
    return is_on_my_node(CALLER, proc);
}
ARMCII_ALIAS(armci_sameclusnode, parmci_sameclusnode);

static bool uses_shm(const char *function)
{
    return armcii_is_running(function) && armcii_node->shares_memory;
}

int PARMCI_Uses_shm(void)
{
    return uses_shm(CALLER);
}
ARMCII_ALIAS(ARMCI_Uses_shm, PARMCI_Uses_shm);

int PARMCI_Uses_shm_grp(ARMCI_Group *group)
{
    (void)group; /* the answer is the same for all groups */
    return uses_shm(CALLER);
}
ARMCII_ALIAS(ARMCI_Uses_shm_grp, PARMCI_Uses_shm_grp);

void *PARMCIX_Local_address(void *address, int proc)
{
    ARMCII_ENTER(CALLER);
    struct raddr raddr;
    if (!entered || armcii_check_process(CALLER, "proc", proc)) return NULL;
    if (armcii_op_resolve(CALLER, "address", proc, address, 1, &raddr)) return NULL;
    if (!raddr.is_mapped) return NULL;
    armcii_program_stores = true;
    return address;
}
ARMCII_ALIAS(ARMCIX_Local_address, PARMCIX_Local_address);

void PARMCI_Set_shm_limit(unsigned long shmemlimit)
{
    (void)shmemlimit;
}
ARMCII_ALIAS(ARMCI_Set_shm_limit, PARMCI_Set_shm_limit);

void PARMCIX_Progress(void)
{
    if (!armcii_is_running(CALLER)) return;
    armcii_mpi_progress(armcii_world->control);
    armcii_lock_enter();
    armcii_progress();
    armcii_lock_exit();
}
ARMCII_ALIAS(ARMCIX_Progress, PARMCIX_Progress);
