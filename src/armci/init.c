/* init.c - start and end. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "armci/entry.h"
#include "armci/preflight.h"
#include "armci/state.h"
#include "armci/statistics.h"
#include "base/config.h"
#include "base/log.h"
#include "base/backoff.h"
#include "mem/memget.h"
#include "mem/region.h"
#include "core/notify.h"
#include "observe/rmw_verify.h"
#include "mpi/datatype.h"
#include "mpi/finalize.h"
#include "mpi/coll.h"
#include "mpi/quirks.h"
#include "transport/am/progress_rank.h"
#include "transport/rma/progress.h"
#include "transport/am/am.h"
#include "progress/thread.h"
#include "transport/shm/node.h"
#include "transport/shm/export.h"
#include "mpi/world.h"
#include "observe/verify.h"
#include "core/handle.h"
#include "transport/rma/pending.h"

static int starts;          /* not yet ended */
static bool mpi_is_ours;    /* to finalize */
static bool ended_by_mpi;   /* the program called MPI_Finalize without ARMCI_Finalize */
static int end_key = MPI_KEYVAL_INVALID; /* of the attribute by which MPI_Finalize ends ARMCI */
static char library[MPI_MAX_LIBRARY_VERSION_STRING];

/* The library's name is known before MPI runs, and the configuration has been read. */
static bool windows_bear_threads(void)
{
    int length;
    MPI_Get_library_version(library, &length);
    armcii_quirks_decide(library, true, armcii_config->quirks);
    return armcii_quirks->threaded_windows;
}

/* In this file, because every program has it: also one that is linked statically. */
__attribute__((constructor)) static void ask_for_threads(void)
{
    armcii_config_ask_for_threads(windows_bear_threads);
}

static void start_mpi(int *argc, char ***argv, int requested)
{
    int running, provided;
    MPI_Initialized(&running);
    if (!running && requested == MPI_THREAD_SINGLE)
        MPI_Init(argc, argv); /* which may give more: what servers need was asked for before main */
    else if (!running)
        MPI_Init_thread(argc, argv, requested, &provided);
    mpi_is_ours = mpi_is_ours || !running; /* also of an earlier start, which was refused */
    MPI_Query_thread(&provided);
    armcii_lock_enable(provided == MPI_THREAD_MULTIPLE);
}

static void warn_of_variable(const char *line)
{
    armcii_warn("%s", line);
}

/* Every rank reads the same environment; one is enough to complain. */
static void read_configuration(MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    armcii_log_set_rank(rank);
    armcii_config_read(NULL, rank == 0 ? warn_of_variable : NULL);
}

/* The kinds of shared memory to try, in order. */
static void share_node(void)
{
    static const enum segment_kind kinds[][3] = {
        [SHM_AUTO] = {SEGMENT_MEMFD, SEGMENT_MPI, SEGMENT_NONE},
        [SHM_MEMFD] = {SEGMENT_MEMFD, SEGMENT_NONE},
        [SHM_MPI] = {SEGMENT_MPI, SEGMENT_NONE},
        [SHM_NO] = {SEGMENT_NONE},
    };
    armcii_node_start(kinds[armcii_config->shm]);
}

/* The level that MPI gives all processes, and ARMCI_PROGRESS, allow servers that are threads. */
static bool may_have_threads(void)
{
    int level, lowest;
    MPI_Query_thread(&level);
    MPI_Allreduce(&level, &lowest, 1, MPI_INT, MPI_MIN, armcii_world->comm);
    return lowest == MPI_THREAD_MULTIPLE && (armcii_config->progress == PROGRESS_AUTO || armcii_config->progress == PROGRESS_THREAD);
}

static void warn_of_choice(const char *text)
{
    if (armcii_world->rank == 0) armcii_warn("%s", text);
}

/* Where threads are allowed: is the transport rma asked for, and can it have windows? */
static bool prefers_windows(void)
{
    if (armcii_config->transport != TRANSPORT_RMA) return false;
    if (armcii_quirks->threaded_windows) return true;
    warn_of_choice("ARMCI_TRANSPORT=rma: this MPI library makes no windows between nodes in programs with threads; the transport is am");
    return false;
}

/* Between nodes: servers where they can have a thread, or progress ranks are for them, since they are right and asynchronous on every MPI
 * library. */
static void choose_transport(void)
{
    if (armcii_world->progress_ranks > 0) {
        armcii_am_start();
        return;
    }
    bool threads = may_have_threads(), shares = armcii_node->kind == SEGMENT_MEMFD;
    if (armcii_world->nodes == 1) return;
    if (threads && shares && !prefers_windows()) {
        armcii_am_start();
        return;
    }
    if (armcii_config->transport == TRANSPORT_AM)
        warn_of_choice("ARMCI_TRANSPORT=am needs MPI_THREAD_MULTIPLE and ARMCI_PROGRESS=auto or thread; the transport is rma");
    if (threads && armcii_quirks->threaded_windows)
        armcii_rma_progress_start();
    else if (threads)
        warn_of_choice("this MPI library makes no windows between nodes for programs with threads: without memory shared by memfd, "
                       "that is with ARMCI_SHM=no or mpi, there will be no memory");
}

/* What progress ranks take part in, too: they are the last `progress_ranks` ones of `all`. */
static void start_foundation(MPI_Comm all, int progress_ranks)
{
    int length;
    armcii_world_create(all, progress_ranks, armcii_config->nodes == DOMAINS_RANK);
    armcii_log_set_rank(armcii_world->rank);
    MPI_Get_library_version(library, &length);
    armcii_quirks_decide(library, armcii_world->nodes > 1, armcii_config->quirks);
    share_node();
    armcii_exports_start();
    armcii_finalize_prepare_pause();
    armcii_finalize_prepare_barrier(armcii_world->all);
    choose_transport();
    bool serves = armcii_rma_progress_on || (armcii_am_on && progress_ranks == 0); /* who waits is also a server, or does without its thread */
    armcii_coll_start(serves || armcii_backoff_spin_limit < SPIN_LIMIT, armcii_world->all);
}

static void end_foundation(void)
{
    armcii_coll_end();
    armcii_node_end();
    armcii_world_free();
}

/* The life of a progress rank: it never comes back to the program. */
static _Noreturn void be_progress_rank(MPI_Comm all, int progress_ranks)
{
    enum progress_rank_event event = PROGRESS_RANK_STARTED;
    for (; event != PROGRESS_RANK_FINALIZE; event = armcii_progress_rank_serve()) {
        if (event == PROGRESS_RANK_STARTED) {
            if (all == MPI_COMM_NULL) armcii_progress_rank_join(&all, &progress_ranks);
            start_foundation(all, progress_ranks);
            MPI_Comm_free(&all);
        } else {
            armcii_am_end(); /* which sends from what is on offer */
            armcii_exports_end();
            armcii_datatype_cache_clear();
            end_foundation();
        }
    }
    MPI_Finalize();
    exit(0);
}

static void start_layers(void)
{
    armcii_progress_rank_hook_finalize();
    armcii_team_create_world();
    armcii_directory_start();
    armcii_memget_start();
    armcii_pending_start();
    armcii_handles_start();
    armcii_notify_start();
    armcii_verify_start();
    armcii_rmw_verify_start();
    armcii_statistics_start();
    armcii_preflight(library);
}

static int end_in_mpi_finalize(MPI_Comm self, int key, void *value, void *extra);

/* Behind all other attributes of MPI_COMM_SELF: MPI_Finalize deletes the latest first. */
static void hook_mpi_finalize(void)
{
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_in_mpi_finalize, &end_key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, end_key, NULL);
}

/* On the processes of comm, or on those of them that are not progress ranks.  NULL, or why that is impossible. */
static const char *start_on_processes(MPI_Comm comm)
{
    int progress_ranks, rank, size;
    MPI_Comm all;
    const char *obstacle = armcii_progress_rank_select(comm, &all, &progress_ranks);
    if (obstacle) return obstacle;
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    if (rank >= size - progress_ranks) be_progress_rank(all, progress_ranks);
    start_foundation(all, progress_ranks);
    if (all != comm) MPI_Comm_free(&all);
    start_layers();
    hook_mpi_finalize();
    return NULL;
}

/* All five forms of the start.  comm: MPI_COMM_NULL for the world, which is named only after MPI runs. */
static int start(const char *caller, int *argc, char ***argv, int requested, MPI_Comm comm)
{
    int gone;
    if (requested < MPI_THREAD_SINGLE || requested > MPI_THREAD_MULTIPLE)
        return armcii_error(ARMCI_ERR_ARGUMENT, caller, "requested", "it is no thread level of MPI", "%d", requested);
    MPI_Finalized(&gone);
    if (gone) return armcii_error(ARMCI_ERR_STATE, caller, "state", "MPI has ended: it cannot be started again", "%s", "ended");
    if (starts > 0) {
        starts++;
        return 0;
    }
    start_mpi(argc, argv, requested);
    if (comm == MPI_COMM_NULL) comm = MPI_COMM_WORLD;
    if (!armcii_progress_rank_is_enabled()) read_configuration(comm); /* the progress ranks keep what they began with */
    const char *obstacle = start_on_processes(comm);
    if (obstacle) return armcii_error(ARMCI_ERR_ARGUMENT, caller, "ARMCI_PROGRESS", obstacle, "%s", "rank");
    starts = 1;
    armcii_entry_open();
    return 0;
}

int PARMCI_Init(void)
{
    return start("ARMCI_Init", NULL, NULL, MPI_THREAD_SINGLE, MPI_COMM_NULL);
}
ARMCII_ALIAS(ARMCI_Init, PARMCI_Init);

int PARMCI_Init_args(int *argc, char ***argv)
{
    return start("ARMCI_Init_args", argc, argv, MPI_THREAD_SINGLE, MPI_COMM_NULL);
}
ARMCII_ALIAS(ARMCI_Init_args, PARMCI_Init_args);

int PARMCI_Init_thread(int requested)
{
    return start("ARMCI_Init_thread", NULL, NULL, requested, MPI_COMM_NULL);
}
ARMCII_ALIAS(ARMCI_Init_thread, PARMCI_Init_thread);

static int start_on(const char *caller, int requested, MPI_Comm comm)
{
    int running, gone, between = 0;
    MPI_Initialized(&running);
    MPI_Finalized(&gone);
    /* MPI_COMM_WORLD exists as a name before MPI runs; any other communicator does not. */
    if ((!running && comm != MPI_COMM_WORLD) || gone)
        return armcii_error(ARMCI_ERR_STATE, caller, "comm", "MPI is not running, so this is no communicator", "%s", "(unusable)");
    if (comm == MPI_COMM_NULL)
        return armcii_error(ARMCI_ERR_ARGUMENT, caller, "comm", "it must be a communicator", "%s", "MPI_COMM_NULL");
    if (running) MPI_Comm_test_inter(comm, &between);
    if (between)
        return armcii_error(ARMCI_ERR_ARGUMENT, caller, "comm", "its processes must be of one group", "%s", "an intercommunicator");
    return start(caller, NULL, NULL, requested, comm);
}

int PARMCI_Init_thread_comm(int requested, MPI_Comm comm)
{
    return start_on("ARMCI_Init_thread_comm", requested, comm);
}
ARMCII_ALIAS(ARMCI_Init_thread_comm, PARMCI_Init_thread_comm);

int PARMCI_Init_mpi_comm(MPI_Comm comm)
{
    return start_on("ARMCI_Init_mpi_comm", MPI_THREAD_SINGLE, comm);
}
ARMCII_ALIAS(ARMCI_Init_mpi_comm, PARMCI_Init_mpi_comm);

int PARMCI_Initialized(void)
{
    return armcii_running;
}
ARMCII_ALIAS(ARMCI_Initialized, PARMCI_Initialized);

static void end_layers(void)
{
    armcii_lock_enter(); /* the progress thread is at work */
    armcii_finish_everything();
    armcii_lock_exit();
    armcii_statistics_report();
    armcii_verify_end();
    armcii_coll_barrier(armcii_world->comm);
    armcii_mutexes_forget();
    armcii_notify_end();
    armcii_handles_end();
    armcii_pending_end();
    armcii_regions_free_all();
    armcii_memget_end();
    armcii_am_end();
    armcii_rma_progress_end();
    armcii_directory_end();
    armcii_datatype_cache_clear();
    armcii_groups_forget();
    armcii_team_free_all();
    end_foundation();
}

static void unhook_mpi_finalize(void)
{
    int key = end_key;
    if (key == MPI_KEYVAL_INVALID) return; /* MPI_Finalize is deleting the attribute */
    end_key = MPI_KEYVAL_INVALID;
    MPI_Comm_delete_attr(MPI_COMM_SELF, key);
    MPI_Comm_free_keyval(&key);
}

static void end(void)
{
    armcii_entry_close();
    unhook_mpi_finalize();
    end_layers();
}

/* ---- programs that call MPI_Finalize without ARMCI_Finalize ----
 *
 * MPI_Finalize then ends ARMCI first, as ARMCI_Finalize does: a process that comes early serves the others until all have come. */

static void end_forgotten(void)
{
    if (!armcii_running) return;
    if (armcii_world->rank == 0) armcii_warn("MPI_Finalize was called without ARMCI_Finalize: ARMCI ends now; call ARMCI_Finalize first");
    ended_by_mpi = true;
    end();
}

#pragma weak dlsym /* older systems have it in a library that a static link may not name */

/* Tools define MPI_Finalize, too: one that comes behind this library, or is preloaded to a program with libarmci.a, gets its call. */
static int call_next_mpi_finalize(void)
{
    int (*next)(void) = NULL;
    if (dlsym) *(void **)&next = dlsym(RTLD_NEXT, "MPI_Finalize");
    return next ? next() : PMPI_Finalize();
}

/* Where calls of MPI_Finalize arrive here: before anything of MPI ends.  MPICH makes its functions unsafe for threads before it deletes
 * attributes: it aborts in MPI_Finalize if the progress thread is in MPI at that moment.  Weak: the program may link a tool's as well. */
__attribute__((weak)) int MPI_Finalize(void)
{
    end_forgotten();
    return call_next_mpi_finalize();
}

/* Where they do not: calls of PMPI_Finalize (Open MPI's Fortran interface, tools), programs that name the MPI library before this one. */
static int end_in_mpi_finalize(MPI_Comm self, int key, void *value, void *extra)
{
    (void)self, (void)key, (void)value, (void)extra;
    end_key = MPI_KEYVAL_INVALID;
    if (!armcii_running) return MPI_SUCCESS;
    armcii_progress_thread_end();
    end_forgotten();
    return MPI_SUCCESS;
}

int PARMCI_Finalize(void)
{
    if (ended_by_mpi) return 0;
    if (!armcii_is_running("ARMCI_Finalize")) return ARMCI_ERR_STATE;
    if (--starts > 0) return 0;
    end();
    if (mpi_is_ours) MPI_Finalize();
    return 0;
}
ARMCII_ALIAS(ARMCI_Finalize, PARMCI_Finalize);

/* No segment, file or semaphore of ours has a name: nothing is left when the process is gone. */
void PARMCI_Cleanup(void)
{
}
ARMCII_ALIAS(ARMCI_Cleanup, PARMCI_Cleanup);

void PARMCI_Error(const char *msg, int code)
{
    armcii_warn("ARMCI_Error: %s (code %d)", msg ? msg : "", code);
    armcii_abort_job(code);
}
ARMCII_ALIAS(ARMCI_Error, PARMCI_Error);

const char *PARMCI_RMA_Version(void)
{
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
    return TEXT(ARMCI_RMA_VERSION_MAJOR) "." TEXT(ARMCI_RMA_VERSION_MINOR) "." TEXT(ARMCI_RMA_VERSION_PATCH);
}
ARMCII_ALIAS(ARMCI_RMA_Version, PARMCI_RMA_Version);
