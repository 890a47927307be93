/* topology.c - domains, nodes and their processes. */
#include "armci/entry.h"
#include "mem/directory.h"
#include "mpi/window.h"
#include "transport/shm/apply.h"
#include "transport/shm/node.h"
#include "mpi/world.h"
#include "core/op.h"

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
    armcii_error(ARMCI_ERR_RANK, caller, "id", "invalid node", "%d (of %d)", node, armcii_world->domains);
    return false;
}

int parmci_domain_nprocs(armci_domain_t domain, int id)
{
    if (!check_domain("armci_domain_nprocs", domain)) return -1;
    if (id == -1) id = armcii_world->domain;
    return check_node("armci_domain_nprocs", id) ? armcii_domain_size(id) : -1;
}
ARMCII_ALIAS(armci_domain_nprocs, parmci_domain_nprocs);

int parmci_domain_id(armci_domain_t domain, int glob_proc_id)
{
    if (!check_domain("armci_domain_id", domain) || armcii_check_process("armci_domain_id", "glob_proc_id", glob_proc_id)) return -1;
    return armcii_world->domain_of[glob_proc_id];
}
ARMCII_ALIAS(armci_domain_id, parmci_domain_id);

int parmci_domain_glob_proc_id(armci_domain_t domain, int id, int loc_proc_id)
{
    if (!check_domain("armci_domain_glob_proc_id", domain) || !check_node("armci_domain_glob_proc_id", id)) return -1;
    if (loc_proc_id >= 0 && loc_proc_id < armcii_domain_size(id)) return armcii_domain_member(id, loc_proc_id);
    return -armcii_error(ARMCI_ERR_RANK, "armci_domain_glob_proc_id", "loc_proc_id", "the node has no such process", "%d (of %d)",
                         loc_proc_id, armcii_domain_size(id));
}
ARMCII_ALIAS(armci_domain_glob_proc_id, parmci_domain_glob_proc_id);

int parmci_domain_my_id(armci_domain_t domain)
{
    return check_domain("armci_domain_my_id", domain) ? armcii_world->domain : -1;
}
ARMCII_ALIAS(armci_domain_my_id, parmci_domain_my_id);

int parmci_domain_count(armci_domain_t domain)
{
    return check_domain("armci_domain_count", domain) ? armcii_world->domains : -1;
}
ARMCII_ALIAS(armci_domain_count, parmci_domain_count);

static int is_on_my_node(const char *caller, int process)
{
    if (!armcii_is_running(caller) || armcii_check_process(caller, "proc", process)) return 0;
    return armcii_world->domain_of[process] == armcii_world->domain;
}

int parmci_domain_same_id(armci_domain_t domain, int proc)
{
    return check_domain("armci_domain_same_id", domain) && is_on_my_node("armci_domain_same_id", proc);
}
ARMCII_ALIAS(armci_domain_same_id, parmci_domain_same_id);

int PARMCI_Same_node(int proc)
{
    return is_on_my_node("ARMCI_Same_node", proc);
}
ARMCII_ALIAS(ARMCI_Same_node, PARMCI_Same_node);

int parmci_sameclusnode(int proc)
{
    return is_on_my_node("armci_sameclusnode", proc);
}
ARMCII_ALIAS(armci_sameclusnode, parmci_sameclusnode);

static bool uses_shm(const char *function)
{
    return armcii_is_running(function) && armcii_node->kind != SEGMENT_NONE;
}

int PARMCI_Uses_shm(void)
{
    return uses_shm("ARMCI_Uses_shm");
}
ARMCII_ALIAS(ARMCI_Uses_shm, PARMCI_Uses_shm);

int PARMCI_Uses_shm_grp(ARMCI_Group *group)
{
    (void)group; /* the answer is the same for all groups */
    return uses_shm("ARMCI_Uses_shm_grp");
}
ARMCII_ALIAS(ARMCI_Uses_shm_grp, PARMCI_Uses_shm_grp);

void *PARMCIX_Local_address(void *address, int proc)
{
    ARMCII_ENTER("ARMCIX_Local_address");
    struct raddr raddr;
    if (!entered || armcii_check_process("ARMCIX_Local_address", "proc", proc)) return NULL;
    if (armcii_op_resolve("ARMCIX_Local_address", "address", proc, address, 1, &raddr)) return NULL;
    if (!raddr.mapped) return NULL;
    armcii_program_stores = true;
    return (char *)address + (raddr.mapped - raddr.lo);
}
ARMCII_ALIAS(ARMCIX_Local_address, PARMCIX_Local_address);

void PARMCI_Set_shm_limit(unsigned long shmemlimit)
{
    (void)shmemlimit;
}
ARMCII_ALIAS(ARMCI_Set_shm_limit, PARMCI_Set_shm_limit);

void PARMCIX_Progress(void)
{
    if (!armcii_is_running("ARMCIX_Progress")) return;
    armcii_window_progress(armcii_world->comm);
    armcii_lock_enter();
    armcii_progress();
    armcii_lock_exit();
}
ARMCII_ALIAS(ARMCIX_Progress, PARMCIX_Progress);
