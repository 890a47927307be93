/* sync.c - handles, waiting, fences, barrier, notification. */

#include "api/entry.h"
#include "core/handle.h"
#include "transport/route.h"
#include "transport/shm/shm.h"
#include "mpi/coll.h"

/* Fences drain stores of the program like those of the library. */
static void note_program_stores(void)
{
    if (armcii_program_stores) armcii_stores_pending = true;
}

void armcii_complete_all(void)
{
    note_program_stores();
    armcii_aggregates_flush(-1, true);
    armcii_fence_all();
}

void armcii_quiesce(void)
{
    armcii_complete_all();
    armcii_wait_all(-1);
}

void armcii_complete_region(struct region *region)
{
    armcii_aggregates_flush(-1, false);
    armcii_fence_region(region, -1);
}

/* Complete remotely what this process has started towards another, queued operations too. */
static void complete_process(int proc)
{
    note_program_stores();
    armcii_aggregates_flush(proc, true);
    armcii_fence(proc);
}

/* ---- handles ---- */

/* For functions that do not accept the implicit handle. */
static bool check_handle(const char *caller, const armci_hdl_t *hdl)
{
    if (!hdl) armcii_error(ARMCI_ERR_HANDLE, caller, "hdl", "must not be NULL", "%s", "NULL");
    return hdl != NULL;
}

void PARMCI_INIT_HANDLE(armci_hdl_t *hdl)
{
    if (check_handle(CALLER, hdl)) armcii_handle_clear(hdl);
}
ARMCII_ALIAS(ARMCI_INIT_HANDLE, PARMCI_INIT_HANDLE);

void PARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t *hdl)
{
    ARMCII_ENTER(CALLER);
    if (entered && check_handle(CALLER, hdl)) armcii_handle_set_aggregate(hdl);
}
ARMCII_ALIAS(ARMCI_SET_AGGREGATE_HANDLE, PARMCI_SET_AGGREGATE_HANDLE);

void PARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t *hdl)
{
    ARMCII_ENTER(CALLER);
    if (entered && check_handle(CALLER, hdl)) armcii_handle_unset_aggregate(hdl);
}
ARMCII_ALIAS(ARMCI_UNSET_AGGREGATE_HANDLE, PARMCI_UNSET_AGGREGATE_HANDLE);

int PARMCI_Wait(armci_hdl_t *hdl)
{
    ARMCII_ENTER(CALLER);
    return entered ? armcii_handle_wait(hdl) : ARMCI_ERR_STATE;
}
ARMCII_ALIAS(ARMCI_Wait, PARMCI_Wait);

int PARMCI_Test(armci_hdl_t *hdl)
{
    ARMCII_ENTER(CALLER);
    return entered ? armcii_handle_test(hdl) : ARMCI_ERR_STATE;
}
ARMCII_ALIAS(ARMCI_Test, PARMCI_Test);

int PARMCI_WaitProc(int proc)
{
    ARMCII_ENTER(CALLER);
    if (!entered) return ARMCI_ERR_STATE;
    int rc = armcii_check_process(CALLER, "proc", proc);
    if (rc) return rc;
    rc = armcii_aggregates_flush(proc, false);
    armcii_wait_all(proc);
    return rc;
}
ARMCII_ALIAS(ARMCI_WaitProc, PARMCI_WaitProc);

int PARMCI_WaitAll(void)
{
    ARMCII_ENTER(CALLER);
    if (!entered) return ARMCI_ERR_STATE;
    int rc = armcii_aggregates_flush(-1, false);
    armcii_wait_all(-1);
    return rc;
}
ARMCII_ALIAS(ARMCI_WaitAll, PARMCI_WaitAll);

/* ---- remote completion ---- */

/* Let the next fence return at once, unless another thread is inside a call and may start
 * operations. */
static void mark_if_quiet(void)
{
    armcii_set_quiet(armcii_lock_is_alone() && armcii_handles_queued == 0 &&
                     armcii_transports_are_quiet() && !armcii_program_stores);
}

void PARMCI_Fence(int proc)
{
    if (armcii_is_quiet() && proc >= 0 && proc < armcii_world->size) return;
    ARMCII_ENTER(CALLER);
    if (!entered || armcii_check_process(CALLER, "proc", proc) != 0) return;
    complete_process(proc);
    mark_if_quiet();
}
ARMCII_ALIAS(ARMCI_Fence, PARMCI_Fence);

void PARMCI_AllFence(void)
{
    if (armcii_is_quiet()) return;
    ARMCII_ENTER(CALLER);
    if (!entered) return;
    armcii_complete_all();
    mark_if_quiet();
}
ARMCII_ALIAS(ARMCI_AllFence, PARMCI_AllFence);

/* The team of the group, whose operations are complete; NULL, with a message, if there is none. */
static struct team *fence_group(const char *caller, const ARMCI_Group *group)
{
    ARMCII_ENTER(caller);
    struct team *team = entered ? armcii_check_group(caller, "group", group) : NULL;
    if (!team) return NULL;
    note_program_stores();
    armcii_aggregates_flush(-1, false); /* of other teams, too */
    armcii_fence_team(team);
    return team;
}

void PARMCI_GroupFence(ARMCI_Group *group)
{
    fence_group(CALLER, group);
}
ARMCII_ALIAS(ARMCI_GroupFence, PARMCI_GroupFence);

static bool complete_before_barrier(void)
{
    ARMCII_ENTER("ARMCI_Barrier");
    if (entered) armcii_complete_all();
    return entered;
}

/* The barrier runs without the global lock, so that other threads continue. */
void PARMCI_Barrier(void)
{
    if (!complete_before_barrier()) return;
    armcii_route_barrier();
}
ARMCII_ALIAS(ARMCI_Barrier, PARMCI_Barrier);

void armcii_barrier_of(struct team *team)
{
    if (!team) return;
    armcii_coll_barrier(team->comm);
}

void PARMCI_GroupBarrier(ARMCI_Group *group)
{
    armcii_barrier_of(fence_group(CALLER, group));
}
ARMCII_ALIAS(ARMCI_GroupBarrier, PARMCI_GroupBarrier);

/* ---- counters ---- */

/* The indices are public. */
_Static_assert((int)PATH_ATOMIC == ARMCIX_RMA_ATOMIC && (int)COUNTER_MESSAGES == ARMCIX_MESSAGES &&
                   (int)COUNTER_SERVED == ARMCIX_SERVED,
               "a counter has another index");

int PARMCIX_Counters(unsigned long values[], int n)
{
    if (!values) return 0;
    for (int i = 0; i < n && i < COUNTERS; i++)
        values[i] = atomic_load_explicit(&armcii_counters[i], memory_order_relaxed);
    return COUNTERS;
}
ARMCII_ALIAS(ARMCIX_Counters, PARMCIX_Counters);

/* ---- notification ---- */

int parmci_notify(int proc)
{
    ARMCII_ENTER(CALLER);
    if (!entered) return -ARMCI_ERR_STATE;
    int rc = armcii_check_process(CALLER, "proc", proc);
    if (rc) return -rc;
    complete_process(proc);
    return armcii_notify_send(proc);
}
ARMCII_ALIAS(armci_notify, parmci_notify);

int parmci_notify_wait(int proc, int *pval)
{
    ARMCII_ENTER(CALLER);
    if (!entered) return -ARMCI_ERR_STATE;
    int rc = armcii_check_process(CALLER, "proc", proc);
    if (!rc) rc = armcii_check_pointer(CALLER, "pval", pval);
    return rc ? -rc : armcii_notify_wait(proc, pval);
}
ARMCII_ALIAS(armci_notify_wait, parmci_notify_wait);
