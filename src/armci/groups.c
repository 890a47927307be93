/* groups.c - groups of processes. */
#include <stdlib.h>

#include "armci/entry.h"
#include "base/config.h"
#include "mpi/world.h"

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
    *out = (ARMCI_Group){team->comm, MPI_COMM_NULL, team->to_world, team->from_world, team->rank, team->size};
}

/* The team of a parent group; NULL, with a message, if the caller is not a member. */
static struct team *check_parent(const char *caller, const ARMCI_Group *parent)
{
    struct team *team = parent && parent->comm != MPI_COMM_NULL ? armcii_team_find(parent->comm) : NULL;
    if (!team)
        armcii_error(ARMCI_ERR_GROUP, caller, "parent", "invalid group, or this process is not a member", "%p", (const void *)parent);
    return team;
}

/* Check that every rank exists in the parent and that none repeats.  0 or an error code. */
static int check_each_rank(const char *caller, const struct team *parent, int n, const int ranks[], bool seen[])
{
    for (int i = 0; i < n; i++) {
        if (ranks[i] < 0 || ranks[i] >= parent->size)
            return armcii_error(ARMCI_ERR_RANK, caller, "pid_list", "the parent has no such rank", "pid_list[%d] = %d", i, ranks[i]);
        if (seen[ranks[i]]) return armcii_error(ARMCI_ERR_RANK, caller, "pid_list", "duplicate rank", "pid_list[%d] = %d", i, ranks[i]);
        seen[ranks[i]] = true;
    }
    return 0;
}

/* 0 or an error code; *member: the caller is in the list. */
static int check_ranks(const char *caller, const struct team *parent, int n, const int ranks[], bool *member)
{
    if (n < 1 || n > parent->size)
        return armcii_error(ARMCI_ERR_COUNT, caller, "n", "a group has at least one member and at most those of its parent", "%d", n);
    int rc = armcii_check_pointer(caller, "pid_list", ranks);
    if (rc) return rc;
    bool *seen = calloc((size_t)parent->size, sizeof *seen);
    if (!seen) return armcii_error(ARMCI_ERR_MEMORY, caller, "n", "out of memory", "%d", n);
    rc = check_each_rank(caller, parent, n, ranks, seen);
    if (rc == 0) *member = seen[parent->rank];
    free(seen);
    return rc;
}

static void create(const char *caller, const struct team *parent, int n, const int ranks[], ARMCI_Group *out)
{
    if (armcii_check_pointer(caller, "group_out", out)) return;
    describe(NULL, out);
    bool member = false;
    if (check_ranks(caller, parent, n, ranks, &member)) return;
    out->size = n;
    if (!armcii_config->noncollective_groups) {
        struct team *team = armcii_team_create_by_all(parent, n, ranks);
        if (team) describe(team, out);
    } else if (member) {
        describe(armcii_team_create_by_members(parent, n, ranks), out);
    }
}

void PARMCI_Group_create(int n, int *pid_list, ARMCI_Group *group_out)
{
    ARMCII_ENTER("ARMCI_Group_create");
    if (entered) create("ARMCI_Group_create", current_default(), n, pid_list, group_out);
}
ARMCII_ALIAS(ARMCI_Group_create, PARMCI_Group_create);

void PARMCI_Group_create_child(int n, int *pid_list, ARMCI_Group *group_out, ARMCI_Group *parent)
{
    ARMCII_ENTER("ARMCI_Group_create_child");
    struct team *team = entered ? check_parent("ARMCI_Group_create_child", parent) : NULL;
    if (team)
        create("ARMCI_Group_create_child", team, n, pid_list, group_out);
    else if (entered && group_out)
        describe(NULL, group_out);
}
ARMCII_ALIAS(ARMCI_Group_create_child, PARMCI_Group_create_child);

void PARMCI_Group_free(ARMCI_Group *group)
{
    ARMCII_ENTER("ARMCI_Group_free");
    if (!entered || armcii_check_pointer("ARMCI_Group_free", "group", group)) return;
    if (group->comm == MPI_COMM_NULL && group->rank < 0) return; /* the group of a process that is not a member */
    struct team *team = armcii_check_group("ARMCI_Group_free", group);
    if (!team) return;
    if (team == armcii_team_world()) {
        armcii_error(ARMCI_ERR_GROUP, "ARMCI_Group_free", "group", "the world cannot be freed", "%s", "world");
        return;
    }
    if (team == default_team) default_team = NULL;
    armcii_finish_everything();
    armcii_team_close(team);
    describe(NULL, group);
}
ARMCII_ALIAS(ARMCI_Group_free, PARMCI_Group_free);

int PARMCI_Group_rank(ARMCI_Group *group, int *rank)
{
    int rc = armcii_check_pointer("ARMCI_Group_rank", "group", group);
    if (!rc) rc = armcii_check_pointer("ARMCI_Group_rank", "rank", rank);
    if (rc) return rc;
    *rank = group->rank;
    return group->rank >= 0 ? 0 : ARMCI_ERR_GROUP;
}
ARMCII_ALIAS(ARMCI_Group_rank, PARMCI_Group_rank);

void PARMCI_Group_size(ARMCI_Group *group, int *size)
{
    if (armcii_check_pointer("ARMCI_Group_size", "group", group) == 0 && armcii_check_pointer("ARMCI_Group_size", "size", size) == 0)
        *size = group->size;
}
ARMCII_ALIAS(ARMCI_Group_size, PARMCI_Group_size);

void PARMCI_Group_set_default(ARMCI_Group *group)
{
    ARMCII_ENTER("ARMCI_Group_set_default");
    struct team *team = entered ? armcii_check_group("ARMCI_Group_set_default", group) : NULL;
    if (team) default_team = team;
}
ARMCII_ALIAS(ARMCI_Group_set_default, PARMCI_Group_set_default);

void PARMCI_Group_get_default(ARMCI_Group *group_out)
{
    ARMCII_ENTER("ARMCI_Group_get_default");
    if (entered && armcii_check_pointer("ARMCI_Group_get_default", "group_out", group_out) == 0) describe(current_default(), group_out);
}
ARMCII_ALIAS(ARMCI_Group_get_default, PARMCI_Group_get_default);

void PARMCI_Group_get_world(ARMCI_Group *group_out)
{
    ARMCII_ENTER("ARMCI_Group_get_world");
    if (entered && armcii_check_pointer("ARMCI_Group_get_world", "group_out", group_out) == 0) describe(armcii_team_world(), group_out);
}
ARMCII_ALIAS(ARMCI_Group_get_world, PARMCI_Group_get_world);

int PARMCI_Absolute_id(ARMCI_Group *group, int group_rank)
{
    ARMCII_ENTER("ARMCI_Absolute_id");
    if (!entered) return -ARMCI_ERR_STATE;
    struct team *team = armcii_check_group("ARMCI_Absolute_id", group);
    if (!team) return -ARMCI_ERR_GROUP;
    if (group_rank >= 0 && group_rank < team->size) return team->to_world[group_rank];
    return -armcii_error(ARMCI_ERR_RANK, "ARMCI_Absolute_id", "group_rank", "the group has no such rank", "%d (of %d)", group_rank,
                         team->size);
}
ARMCII_ALIAS(ARMCI_Absolute_id, PARMCI_Absolute_id);

MPI_Comm parmci_group_comm(ARMCI_Group *group)
{
    ARMCII_ENTER("armci_group_comm");
    struct team *team = entered ? armcii_check_group("armci_group_comm", group) : NULL;
    return team ? team->comm : MPI_COMM_NULL;
}
ARMCII_ALIAS(armci_group_comm, parmci_group_comm);

/* ---- extensions ---- */

int PARMCIX_Group_split(ARMCI_Group *parent, int color, int key, ARMCI_Group *new_group)
{
    ARMCII_ENTER("ARMCIX_Group_split");
    if (!entered) return ARMCI_ERR_STATE;
    struct team *team = check_parent("ARMCIX_Group_split", parent);
    if (!team) return ARMCI_ERR_GROUP;
    int rc = armcii_check_pointer("ARMCIX_Group_split", "new_group", new_group);
    if (rc) return rc;
    MPI_Comm comm;
    unsigned entries = armcii_lock_suspend();
    MPI_Comm_split(team->comm, color < 0 ? MPI_UNDEFINED : color, key, &comm);
    armcii_lock_resume(entries);
    describe(comm == MPI_COMM_NULL ? NULL : armcii_team_adopt(comm), new_group);
    return 0;
}
ARMCII_ALIAS(ARMCIX_Group_split, PARMCIX_Group_split);

int PARMCIX_Group_dup(ARMCI_Group *parent, ARMCI_Group *new_group)
{
    ARMCII_ENTER("ARMCIX_Group_dup");
    if (!entered) return ARMCI_ERR_STATE;
    struct team *team = check_parent("ARMCIX_Group_dup", parent);
    if (!team) return ARMCI_ERR_GROUP;
    int rc = armcii_check_pointer("ARMCIX_Group_dup", "new_group", new_group);
    if (rc) return rc;
    MPI_Comm comm;
    unsigned entries = armcii_lock_suspend();
    MPI_Comm_dup(team->comm, &comm);
    armcii_lock_resume(entries);
    describe(armcii_team_adopt(comm), new_group);
    return 0;
}
ARMCII_ALIAS(ARMCIX_Group_dup, PARMCIX_Group_dup);

MPI_Comm PARMCIX_Get_world_comm(void)
{
    return armcii_is_running("ARMCIX_Get_world_comm") ? armcii_world->comm : MPI_COMM_NULL;
}
ARMCII_ALIAS(ARMCIX_Get_world_comm, PARMCIX_Get_world_comm);
