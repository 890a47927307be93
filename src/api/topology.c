/* topology.c - nodes. */
#include "api/entry.h"
#include "api/state.h"
#include "gmr/directory.h"
#include "mpi/window.h"
#include "server/endpoint.h"
#include "server/server.h"
#include "shm/apply.h"
#include "shm/host.h"
#include "team/world.h"
#include "xfer/transfer.h"

static bool check_domain(const char *caller, armci_domain_t domain)
{
    if (!armcii_is_running(caller)) return false;
    if (domain == ARMCI_DOMAIN_SMP) return true;
    armcii_error(ARMCI_ERR_ARGUMENT, caller, "domain", "ARMCI_DOMAIN_SMP is the one domain", "%d", domain);
    return false;
}

static bool check_node(const char *caller, int node)
{
    if (node >= 0 && node < armcii_world->nodes) return true;
    armcii_error(ARMCI_ERR_RANK, caller, "id", "there is no such node", "%d (of %d)", node, armcii_world->nodes);
    return false;
}

int parmci_domain_nprocs(armci_domain_t domain, int id)
{
    if (!check_domain("armci_domain_nprocs", domain)) return -1;
    if (id == -1) id = armcii_world->node;
    return check_node("armci_domain_nprocs", id) ? armcii_node_size(id) : -1;
}
ARMCII_ALIAS(armci_domain_nprocs, parmci_domain_nprocs);

int parmci_domain_id(armci_domain_t domain, int glob_proc_id)
{
    if (!check_domain("armci_domain_id", domain) || armcii_check_process("armci_domain_id", "glob_proc_id", glob_proc_id)) return -1;
    return armcii_world->node_of[glob_proc_id];
}
ARMCII_ALIAS(armci_domain_id, parmci_domain_id);

int parmci_domain_glob_proc_id(armci_domain_t domain, int id, int loc_proc_id)
{
    if (!check_domain("armci_domain_glob_proc_id", domain) || !check_node("armci_domain_glob_proc_id", id)) return -1;
    if (loc_proc_id >= 0 && loc_proc_id < armcii_node_size(id)) return armcii_node_member(id, loc_proc_id);
    return -armcii_error(ARMCI_ERR_RANK, "armci_domain_glob_proc_id", "loc_proc_id", "the node has no such process", "%d (of %d)",
                         loc_proc_id, armcii_node_size(id));
}
ARMCII_ALIAS(armci_domain_glob_proc_id, parmci_domain_glob_proc_id);

int parmci_domain_my_id(armci_domain_t domain)
{
    return check_domain("armci_domain_my_id", domain) ? armcii_world->node : -1;
}
ARMCII_ALIAS(armci_domain_my_id, parmci_domain_my_id);

int parmci_domain_count(armci_domain_t domain)
{
    return check_domain("armci_domain_count", domain) ? armcii_world->nodes : -1;
}
ARMCII_ALIAS(armci_domain_count, parmci_domain_count);

static int is_on_my_node(const char *caller, int process)
{
    if (!armcii_is_running(caller) || armcii_check_process(caller, "proc", process)) return 0;
    return armcii_world->node_of[process] == armcii_world->node;
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

int PARMCI_Uses_shm(void)
{
    return armcii_is_running("ARMCI_Uses_shm") && armcii_host->kind != SEGMENT_NONE;
}
ARMCII_ALIAS(ARMCI_Uses_shm, PARMCI_Uses_shm);

int PARMCI_Uses_shm_grp(ARMCI_Group *group)
{
    (void)group; /* the same for all groups */
    return armcii_is_running("ARMCI_Uses_shm_grp") && armcii_host->kind != SEGMENT_NONE;
}
ARMCII_ALIAS(ARMCI_Uses_shm_grp, PARMCI_Uses_shm_grp);

void *PARMCIX_Local_address(void *address, int proc)
{
    ARMCII_ENTER("ARMCIX_Local_address");
    struct place place;
    if (!entered || armcii_check_process("ARMCIX_Local_address", "proc", proc)) return NULL;
    if (armcii_transfer_locate("ARMCIX_Local_address", "address", proc, address, 1, &place)) return NULL;
    if (!place.mapped) return NULL;
    armcii_program_stores = true;
    return (char *)address + (place.mapped - place.lo);
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
    if (!armcii_server_on) return;
    armcii_guard_lock();
    armcii_endpoints_advance();
    armcii_guard_unlock();
}
ARMCII_ALIAS(ARMCIX_Progress, PARMCIX_Progress);
