/* route.c - the choice of transports. */
#include "transport/route.h"

#include <mpi.h>
#include <stdio.h>

#include "base/config.h"
#include "base/log.h"
#include "mpi/coll.h"
#include "mpi/quirks.h"
#include "mpi/world.h"
#include "node/node.h"
#include "progress/loop.h"
#include "transport/am/am.h"
#include "transport/rma/rma.h"
#include "transport/shm/shm.h"

static const struct route shm = {"shm", &armcii_shm, &armcii_shm, &armcii_shm, true, NULL};
static const struct route am = {"am", &armcii_am, &armcii_am, &armcii_am, false, NULL};
static const struct route rma = {"rma", &armcii_rma, &armcii_rma, &armcii_rma, false, NULL};
/* Contiguous data by the network itself, the rest by a server. */
static const struct route rdma = {"rdma", &armcii_rma, &armcii_am, &armcii_am, false, &am};
/* To slices on this node of regions that others reach by rma: their accumulates are atomic in MPI's
 * domain. */
static const struct route shm_rma = {"shm+rma", &armcii_shm, &armcii_shm, &armcii_rma, false, NULL};

static struct route_choice route;
const struct route_choice *const armcii_route = &route;

/* ---- the far route ---- */

/* True if MPI provides MPI_THREAD_MULTIPLE on every process. Some of them are as good as none,
 * except where MPI refuses windows to those: they would fail while the others wait for them. */
static bool find_threads(void)
{
    int level;
    MPI_Query_thread(&level);
    const bool multiple = level == MPI_THREAD_MULTIPLE;
    if (armcii_coll_all(multiple, armcii_world->comm)) return true;
    if (!armcii_quirks->threaded_windows && !armcii_coll_all(!multiple, armcii_world->comm))
        armcii_fatal("MPI_THREAD_MULTIPLE on some processes only: this MPI library makes no "
                     "windows between nodes then");
    return false;
}

/* Reserve a progress thread, which does not run yet; true if all processes have one. ARMCI_PROGRESS
 * may forbid it, and a system refuse it (ulimit -u, -n; pids.max). */
static bool reserve_threads(void)
{
    if (!route.has_threads || armcii_config->progress == PROGRESS_NONE) return false;
    if (armcii_coll_all(armcii_progress_thread_reserve(), armcii_world->comm)) return true;
    armcii_progress_thread_end();
    route.lacks_thread = true;
    return false;
}

/* Where the network completes contiguous puts and gets without the target, or ARMCI_TRANSPORT says
 * so. Where a flush returns early a probe proves nothing. */
static bool prefers_rdma(bool windows)
{
    bool selected = armcii_config->transport == TRANSPORT_RDMA,
         chooses = armcii_config->transport == TRANSPORT_AUTO && armcii_quirks->flush_is_remote;
    if (!windows || !(selected || chooses)) return false;
    armcii_probe_run();
    if (selected && !armcii_probe->measured)
        route.complaint =
            "ARMCI_TRANSPORT=rdma: MPI cannot create windows between nodes; the transport is am";
    return selected ? armcii_probe->measured : armcii_probe_finds_rdma(armcii_probe);
}

/* Wherever a server has a thread, am carries what the network does not do by itself: it is correct
 * and asynchronous with every MPI library. */
static const struct route *choose_far(bool multiple, bool threads)
{
    enum transport_policy selected = armcii_config->transport;
    bool windows = !multiple || armcii_quirks->threaded_windows,
         servers = threads && armcii_node->shares_memory && (selected != TRANSPORT_RMA || !windows);
    if (servers && !windows && (selected == TRANSPORT_RMA || selected == TRANSPORT_RDMA))
        route.complaint =
            "ARMCI_TRANSPORT: this MPI library makes no windows between nodes in programs "
            "with threads; the transport is am";
    if (servers) return prefers_rdma(windows) ? &rdma : &am;
    if (selected == TRANSPORT_AM || selected == TRANSPORT_RDMA)
        route.complaint =
            "ARMCI_TRANSPORT=am and rdma need MPI_THREAD_MULTIPLE and ARMCI_PROGRESS=auto; "
            "the transport is rma";
    return &rma;
}

/* The route, and what the probe found. */
static void describe_far(const char *text)
{
    int used = snprintf(route.far_doc, sizeof route.far_doc, "%s", text), first = used;
    if (!armcii_probe->measured) return;
    used += snprintf(route.far_doc + used, sizeof route.far_doc - (size_t)used,
                     "; RMA completes without the target: ");
    first = used;
    for (int op = 0; op < PROBE_OPS; op++)
        if (armcii_probe->complete[op])
            used += snprintf(route.far_doc + used, sizeof route.far_doc - (size_t)used, "%s%s",
                             used > first ? ", " : "", armcii_probe_names[op]);
    if (used == first)
        snprintf(route.far_doc + used, sizeof route.far_doc - (size_t)used, "nothing");
}

/* Where the network needs the target for RMA, each process has to call MPI, as with the route rma.
 */
static void start_am(void)
{
    const bool drives_rma = route.far == &rdma && !armcii_probe_finds_rdma(armcii_probe);
    armcii_am_start(drives_rma);
    armcii_transports_add(&armcii_am);
    route.progress_doc =
        drives_rma ? "a thread in each process" : "a thread in one process of each node";
    armcii_backoff.progress_needed = true;
}

/* Beside am. */
static void start_rdma(void)
{
    armcii_rma_start(false, armcii_probe_finds_rdma(armcii_probe));
    armcii_transports_add(&armcii_rma);
    describe_far("RMA for contiguous data, active messages to a server on each node for the rest "
                 "(route rdma)");
}

/* The progress thread makes progress for other nodes; within a node processes wait for each other
 * in MPI. */
static void start_rma(bool threads)
{
    bool with_thread = route.far == &rma && threads && armcii_quirks->threaded_windows;
    armcii_rma_start(with_thread, false);
    armcii_transports_add(&armcii_rma);
    if (route.far == &rma || !armcii_node->shares_memory)
        route.progress_doc = "none: operations may wait until their target calls MPI";
    if (route.far != &rma) return;
    if (!with_thread) armcii_progress_thread_end();
    if (route.has_threads && !armcii_quirks->threaded_windows)
        route.complaint =
            "this MPI library makes no windows between nodes for programs with threads: "
            "without memory that a node shares there will be no memory";
    describe_far("MPI RMA (route rma)");
    if (with_thread) route.progress_doc = "a thread in each process";
    route.is_asynchronous = with_thread;
    armcii_backoff.progress_needed = true;
}

void armcii_route_start(void)
{
    bool threads = false;
    armcii_transports[0] = NULL;
    armcii_transports_add(&armcii_shm);
    armcii_backoff.progress_needed = !armcii_node->shares_memory;
    route = (struct route_choice){
        .near_doc = armcii_node->shares_memory ? "loads and stores in shared memory (memfd)"
                                               : "MPI RMA, no shared memory",
        .progress_doc = "not needed on one node",
        .is_asynchronous = true,
        .has_threads = armcii_world->nodes > 1 && find_threads(),
    };
    if (armcii_world->nodes > 1) {
        threads = reserve_threads();
        route.far = choose_far(route.has_threads, threads);
    }
    if (route.far == &am || route.far == &rdma) start_am();
    if (route.far == &am) describe_far("active messages to a server on each node (route am)");
    if (route.far == &rdma) start_rdma();
    if (route.far == &rma || !armcii_node->shares_memory) start_rma(threads);
}

void armcii_route_end(void)
{
    if (armcii_transports_have(&armcii_am)) armcii_am_end();
    if (armcii_transports_have(&armcii_rma)) armcii_rma_end();
    armcii_probe_end();
    armcii_transports[0] = NULL;
    route.far = NULL;
}

void armcii_route_stop_thread(void)
{
    armcii_progress_thread_end();
}

/* ---- regions, mutexes, barriers ---- */

static bool is_one_node(const struct team *team)
{
    return armcii_world_is_one_node(team->size, team->to_world);
}

/* What ARMCI_Memget allocates is in no window where the route has a fallback. */
void armcii_route_region(struct region *r)
{
    if (!armcii_node->shares_memory) {
        r->near = r->far = &rma;
    } else if (is_one_node(r->team)) {
        r->near = r->far = &shm;
    } else {
        r->near = route.far == &rma ? &shm_rma : &shm;
        r->far = r->memget && route.far->fallback ? route.far->fallback : route.far;
    }
}

const struct mutexes *armcii_route_mutexes(const struct team *team)
{
    if (armcii_node->shares_memory && is_one_node(team)) return &armcii_shm_mutexes;
    return armcii_transports_have(&armcii_am) ? &armcii_am_mutexes : &armcii_rma_mutexes;
}

void armcii_route_barrier(void)
{
    if (armcii_node->shares_memory && armcii_node->size == armcii_world->size) {
        armcii_node_barrier();
    } else if (armcii_transports_have(&armcii_am)) {
        armcii_am_barrier();
    } else {
        armcii_coll_barrier(armcii_world->comm);
        atomic_thread_fence(memory_order_seq_cst); /* unified memory model: operations that others
                                                      completed are visible to loads */
    }
}
