/* reductions.c - the reductions and selections of the armci_msg_* family. */
#include "armci/entry.h"
#include "mpi/coll.h"
#include "mpi/world.h"

/* Find the reduction and the communicator; false if an argument is invalid (with a message) or the caller is not a member. */
static bool prepare(const char *caller, struct team *team, int scope, const void *x, int n, const char *op, int type, struct reduction *r,
                    MPI_Comm *comm)
{
    if (!team || armcii_check_count(caller, "n", n) || armcii_check_pointer(caller, "op", op)) return false;
    if (scope < SCOPE_ALL || scope > SCOPE_MASTERS) {
        armcii_error(ARMCI_ERR_TYPE, caller, "scope", "invalid scope", "%d", scope);
        return false;
    }
    if (armcii_message_type_size(type) == 0) {
        armcii_error(ARMCI_ERR_TYPE, caller, "type", "invalid type", "%d", type);
        return false;
    }
    if (!armcii_reduction_find(op, type, r)) {
        armcii_error(ARMCI_ERR_TYPE, caller, "op", "invalid operator for this type", "\"%.20s\" (type %d)", op, type);
        return false;
    }
    *comm = armcii_team_scope_comm(team, (enum team_scope)scope);
    return *comm != MPI_COMM_NULL && (n == 0 || armcii_check_pointer(caller, "x", x) == 0);
}

static void reduce(const char *caller, struct team *team, int scope, void *x, int n, const char *op, int type)
{
    ARMCII_WATCH(caller);
    struct reduction r;
    MPI_Comm comm;
    if (prepare(caller, team, scope, x, n, op, type, &r, &comm)) armcii_reduce_all(comm, &r, x, n);
}

/* ---- everywhere ---- */

void parmci_msg_gop_scope(int scope, void *x, int n, char *op, int type)
{
    reduce("armci_msg_gop_scope", armcii_world_team("armci_msg_gop_scope"), scope, x, n, op, type);
}
ARMCII_ALIAS(armci_msg_gop_scope, parmci_msg_gop_scope);

void parmci_msg_group_gop_scope(int scope, void *x, int n, char *op, int type, ARMCI_Group *group)
{
    reduce("armci_msg_group_gop_scope", armcii_group_team("armci_msg_group_gop_scope", group), scope, x, n, op, type);
}
ARMCII_ALIAS(armci_msg_group_gop_scope, parmci_msg_group_gop_scope);

void parmci_msg_igop(int *x, int n, char *op)
{
    reduce("armci_msg_igop", armcii_world_team("armci_msg_igop"), SCOPE_ALL, x, n, op, ARMCI_INT);
}
ARMCII_ALIAS(armci_msg_igop, parmci_msg_igop);

void parmci_msg_group_igop(int *x, int n, char *op, ARMCI_Group *group)
{
    reduce("armci_msg_group_igop", armcii_group_team("armci_msg_group_igop", group), SCOPE_ALL, x, n, op, ARMCI_INT);
}
ARMCII_ALIAS(armci_msg_group_igop, parmci_msg_group_igop);

void parmci_msg_clus_igop(int *x, int n, char *op)
{
    reduce("armci_msg_clus_igop", armcii_world_team("armci_msg_clus_igop"), SCOPE_NODE, x, n, op, ARMCI_INT);
}
ARMCII_ALIAS(armci_msg_clus_igop, parmci_msg_clus_igop);

void parmci_msg_lgop(long *x, int n, char *op)
{
    reduce("armci_msg_lgop", armcii_world_team("armci_msg_lgop"), SCOPE_ALL, x, n, op, ARMCI_LONG);
}
ARMCII_ALIAS(armci_msg_lgop, parmci_msg_lgop);

void parmci_msg_group_lgop(long *x, int n, char *op, ARMCI_Group *group)
{
    reduce("armci_msg_group_lgop", armcii_group_team("armci_msg_group_lgop", group), SCOPE_ALL, x, n, op, ARMCI_LONG);
}
ARMCII_ALIAS(armci_msg_group_lgop, parmci_msg_group_lgop);

void parmci_msg_clus_lgop(long *x, int n, char *op)
{
    reduce("armci_msg_clus_lgop", armcii_world_team("armci_msg_clus_lgop"), SCOPE_NODE, x, n, op, ARMCI_LONG);
}
ARMCII_ALIAS(armci_msg_clus_lgop, parmci_msg_clus_lgop);

void parmci_msg_llgop(long long *x, int n, char *op)
{
    reduce("armci_msg_llgop", armcii_world_team("armci_msg_llgop"), SCOPE_ALL, x, n, op, ARMCI_LONG_LONG);
}
ARMCII_ALIAS(armci_msg_llgop, parmci_msg_llgop);

void parmci_msg_group_llgop(long long *x, int n, char *op, ARMCI_Group *group)
{
    reduce("armci_msg_group_llgop", armcii_group_team("armci_msg_group_llgop", group), SCOPE_ALL, x, n, op, ARMCI_LONG_LONG);
}
ARMCII_ALIAS(armci_msg_group_llgop, parmci_msg_group_llgop);

void parmci_msg_clus_llgop(long long *x, int n, char *op)
{
    reduce("armci_msg_clus_llgop", armcii_world_team("armci_msg_clus_llgop"), SCOPE_NODE, x, n, op, ARMCI_LONG_LONG);
}
ARMCII_ALIAS(armci_msg_clus_llgop, parmci_msg_clus_llgop);

void parmci_msg_fgop(float *x, int n, char *op)
{
    reduce("armci_msg_fgop", armcii_world_team("armci_msg_fgop"), SCOPE_ALL, x, n, op, ARMCI_FLOAT);
}
ARMCII_ALIAS(armci_msg_fgop, parmci_msg_fgop);

void parmci_msg_group_fgop(float *x, int n, char *op, ARMCI_Group *group)
{
    reduce("armci_msg_group_fgop", armcii_group_team("armci_msg_group_fgop", group), SCOPE_ALL, x, n, op, ARMCI_FLOAT);
}
ARMCII_ALIAS(armci_msg_group_fgop, parmci_msg_group_fgop);

void parmci_msg_clus_fgop(float *x, int n, char *op)
{
    reduce("armci_msg_clus_fgop", armcii_world_team("armci_msg_clus_fgop"), SCOPE_NODE, x, n, op, ARMCI_FLOAT);
}
ARMCII_ALIAS(armci_msg_clus_fgop, parmci_msg_clus_fgop);

void parmci_msg_dgop(double *x, int n, char *op)
{
    reduce("armci_msg_dgop", armcii_world_team("armci_msg_dgop"), SCOPE_ALL, x, n, op, ARMCI_DOUBLE);
}
ARMCII_ALIAS(armci_msg_dgop, parmci_msg_dgop);

void parmci_msg_group_dgop(double *x, int n, char *op, ARMCI_Group *group)
{
    reduce("armci_msg_group_dgop", armcii_group_team("armci_msg_group_dgop", group), SCOPE_ALL, x, n, op, ARMCI_DOUBLE);
}
ARMCII_ALIAS(armci_msg_group_dgop, parmci_msg_group_dgop);

void parmci_msg_clus_dgop(double *x, int n, char *op)
{
    reduce("armci_msg_clus_dgop", armcii_world_team("armci_msg_clus_dgop"), SCOPE_NODE, x, n, op, ARMCI_DOUBLE);
}
ARMCII_ALIAS(armci_msg_clus_dgop, parmci_msg_clus_dgop);

/* ---- at the first process ---- */

static void reduce_first(const char *caller, int scope, void *x, int n, const char *op, int type)
{
    ARMCII_WATCH(caller);
    struct reduction r;
    MPI_Comm comm;
    if (prepare(caller, armcii_world_team(caller), scope, x, n, op, type, &r, &comm)) armcii_reduce_root(comm, &r, x, n);
}

void parmci_msg_reduce(void *x, int n, char *op, int type)
{
    reduce_first("armci_msg_reduce", SCOPE_ALL, x, n, op, type);
}
ARMCII_ALIAS(armci_msg_reduce, parmci_msg_reduce);

void parmci_msg_reduce_scope(int scope, void *x, int n, char *op, int type)
{
    reduce_first("armci_msg_reduce_scope", scope, x, n, op, type);
}
ARMCII_ALIAS(armci_msg_reduce_scope, parmci_msg_reduce_scope);

/* ---- selection ---- */

static void select_record(const char *caller, int scope, void *x, int n, const char *op, int type, int contribute)
{
    ARMCII_WATCH(caller);
    struct reduction r;
    MPI_Comm comm;
    if (!prepare(caller, armcii_world_team(caller), scope, x, n, op, type, &r, &comm)) return;
    if (r.absolute || (r.op != MPI_MAX && r.op != MPI_MIN)) {
        armcii_error(ARMCI_ERR_TYPE, caller, "op", "must be \"max\" or \"min\"", "\"%.20s\"", op);
        return;
    }
    if ((size_t)n < armcii_message_type_size(type)) {
        armcii_error(ARMCI_ERR_COUNT, caller, "n", "the record must contain the element to compare", "%d (type %d: %zu bytes)", n, type,
                     armcii_message_type_size(type));
        return;
    }
    armcii_select(comm, x, n, r.op == MPI_MAX, type, contribute != 0);
}

void parmci_msg_sel(void *x, int n, char *op, int type, int contribute)
{
    select_record("armci_msg_sel", SCOPE_ALL, x, n, op, type, contribute);
}
ARMCII_ALIAS(armci_msg_sel, parmci_msg_sel);

void parmci_msg_sel_scope(int scope, void *x, int n, char *op, int type, int contribute)
{
    select_record("armci_msg_sel_scope", scope, x, n, op, type, contribute);
}
ARMCII_ALIAS(armci_msg_sel_scope, parmci_msg_sel_scope);
