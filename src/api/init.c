/* init.c - initialization and finalization. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/entry.h"
#include "base/config.h"
#include "base/log.h"
#include "base/lock.h"
#include "config-build.h"
#include "mem/region.h"
#include "mpi/datatype.h"
#include "mpi/coll.h"
#include "mpi/launch.h"
#include "mpi/quirks.h"
#include "transport/route.h"
#include "node/heap.h"
#include "node/node.h"
#include "mpi/world.h"
#include "core/handle.h"

static struct {
    int init_count; /* calls of ARMCI_Init without ARMCI_Finalize */
    bool owns_mpi;  /* ARMCI started MPI, and nothing finalizes it at exit yet */
    bool has_ended; /* at least once */
    pid_t process;  /* the one that started; a child of fork ends nothing */
    int end_key;    /* attribute whose deletion in MPI_Finalize ends ARMCI */
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
} init = {.end_key = MPI_KEYVAL_INVALID};

/* Requires that the configuration has been read; MPI_Get_library_version works before MPI_Init. */
static bool windows_support_threads(void)
{
    int length;
    MPI_Get_library_version(init.library, &length);
    armcii_quirks_decide(init.library, true, armcii_config->quirks);
    return armcii_quirks->threaded_windows;
}

/* By the process's own environment, before MPI_Init. Where processes have different ones, MPI may
 * give threads to some of them only: then the job uses none ([no-threads]), or ends (route.c). In
 * this file, since every statically linked program contains it. */
__attribute__((constructor(BEFORE_PROGRAM))) static void request_threads(void)
{
    armcii_config_ask_for_threads(windows_support_threads);
}

static void start_mpi(int *argc, char ***argv, int requested)
{
    int running, provided;
    MPI_Initialized(&running);
    if (!running && requested == MPI_THREAD_SINGLE)
        MPI_Init(argc,
                 argv); /* may provide a higher level: request_threads asked for it before main */
    else if (!running)
        MPI_Init_thread(argc, argv, requested, &provided);
    init.owns_mpi =
        init.owns_mpi || !running; /* an earlier ARMCI_Init may have started MPI and failed */
    MPI_Query_thread(&provided);
    armcii_lock_enable(provided == MPI_THREAD_MULTIPLE);
}

static void warn(const char *line)
{
    armcii_warn("%s", line);
}

/* The settings decide which collectives a process enters, and launchers may pass a variable to some
 * nodes only: those of rank 0 hold for all. */
static void read_configuration(MPI_Comm comm)
{
    int rank;
    struct config_values values;
    MPI_Comm_rank(comm, &rank);
    armcii_log_set_rank(rank);
    armcii_config_read(NULL, rank == 0 ? warn : NULL);
    armcii_config_values(&values);
    armcii_coll_bcast(&values, (int)sizeof values, 0, comm);
    armcii_config_adopt(&values);
}

static void start_layers(MPI_Comm comm)
{
    int length;
    armcii_world_create(comm, armcii_config->nodes == DOMAINS_RANK);
    armcii_log_set_rank(armcii_world->rank);
    MPI_Get_library_version(init.library, &length);
    armcii_quirks_decide(init.library, armcii_world->nodes > 1, armcii_config->quirks);
    armcii_node_start();
    armcii_world_fill_tables(armcii_node->world_tables);
    armcii_heap_start();
    armcii_finalize_prepare(armcii_world->comm);
    armcii_route_start();
    armcii_coll_start(armcii_backoff.progress_needed || armcii_backoff.spin_limit < SPIN_LIMIT,
                      armcii_world->comm);
    armcii_team_create_world();
    armcii_lookup_start();
    armcii_memget_start();
    armcii_handles_start();
    armcii_notify_start();
    armcii_banner(init.library);
}

static int end_in_mpi_finalize(MPI_Comm self, int key, void *value, void *extra);

/* The last attribute of MPI_COMM_SELF: MPI_Finalize deletes it first. */
static void hook_mpi_finalize(void)
{
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_in_mpi_finalize, &init.end_key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, init.end_key, NULL);
}

/* What the library makes of the program's communicator inherits its error handler. The library
 * reads codes in few places (transport/rma/window.c); everywhere else an error ends the job,
 * whatever the program does with its own. */
static void start_on(MPI_Comm comm)
{
    int rank;
    MPI_Errhandler of_program;
    MPI_Comm_rank(comm, &rank);
    init.process = getpid();
    armcii_leave_watch(rank);
    MPI_Comm_get_errhandler(comm, &of_program);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
    read_configuration(comm);
    start_layers(comm);
    hook_mpi_finalize();
    MPI_Comm_set_errhandler(comm, of_program);
    MPI_Errhandler_free(&of_program);
}

/* The program and this library must use one MPI library. 0, or the code of an error. */
static int check_libraries(const char *caller)
{
    const char *files[2], *other = armcii_launch_other_abi();
    if (armcii_launch_two_libraries(files))
        return armcii_error(ARMCI_ERR_STATE, caller, "MPI libraries",
                            "the program and libarmci must use the same one", "%s and %s", files[0],
                            files[1]);
    if (other)
        return armcii_error(ARMCI_ERR_STATE, caller, "MPI library",
                            "compile the program and libarmci both with mpicc_abi (MPI's standard "
                            "ABI), or both without",
                            "%s", other);
    return 0;
}

/* They are ordered, not consecutive: in the standard ABI their distance is 1024. */
static bool is_thread_level(int level)
{
    return level == MPI_THREAD_SINGLE || level == MPI_THREAD_FUNNELED ||
           level == MPI_THREAD_SERIALIZED || level == MPI_THREAD_MULTIPLE;
}

/* Implements all five init functions. comm: MPI_COMM_NULL stands for MPI_COMM_WORLD. */
static int start(const char *caller, int *argc, char ***argv, int requested, MPI_Comm comm)
{
    int finalized, code;
    if (!is_thread_level(requested))
        return armcii_error(ARMCI_ERR_ARGUMENT, caller, "requested", "invalid thread level", "%d",
                            requested);
    MPI_Finalized(&finalized);
    if (finalized)
        return armcii_error(ARMCI_ERR_STATE, caller, "state",
                            "MPI is finalized and cannot be started again", "%s", "ended");
    if (init.init_count > 0) {
        init.init_count++;
        return 0;
    }
    code = check_libraries(caller);
    if (code) return code;
    start_mpi(argc, argv, requested);
    start_on(comm == MPI_COMM_NULL ? MPI_COMM_WORLD : comm);
    init.init_count = 1;
    armcii_entry_open();
    return 0;
}

int PARMCI_Init(void)
{
    return start(CALLER, NULL, NULL, MPI_THREAD_SINGLE, MPI_COMM_NULL);
}
ARMCII_ALIAS(ARMCI_Init, PARMCI_Init);

int PARMCI_Init_args(int *argc, char ***argv)
{
    return start(CALLER, argc, argv, MPI_THREAD_SINGLE, MPI_COMM_NULL);
}
ARMCII_ALIAS(ARMCI_Init_args, PARMCI_Init_args);

int PARMCI_Init_thread(int requested)
{
    return start(CALLER, NULL, NULL, requested, MPI_COMM_NULL);
}
ARMCII_ALIAS(ARMCI_Init_thread, PARMCI_Init_thread);

static int start_on_comm(const char *caller, int requested, MPI_Comm comm)
{
    int running, finalized, is_inter = 0;
    MPI_Initialized(&running);
    MPI_Finalized(&finalized);
    /* Before MPI_Init, only MPI_COMM_WORLD is a valid name. */
    if ((!running && comm != MPI_COMM_WORLD) || finalized)
        return armcii_error(ARMCI_ERR_STATE, caller, "comm",
                            "invalid communicator: MPI is not running", "%s", "(unusable)");
    if (comm == MPI_COMM_NULL)
        return armcii_error(ARMCI_ERR_ARGUMENT, caller, "comm", "must be a communicator", "%s",
                            "MPI_COMM_NULL");
    if (running) MPI_Comm_test_inter(comm, &is_inter);
    if (is_inter)
        return armcii_error(ARMCI_ERR_ARGUMENT, caller, "comm", "must be an intracommunicator",
                            "%s", "an intercommunicator");
    return start(caller, NULL, NULL, requested, comm);
}

int PARMCI_Init_thread_comm(int requested, MPI_Comm comm)
{
    return start_on_comm(CALLER, requested, comm);
}
ARMCII_ALIAS(ARMCI_Init_thread_comm, PARMCI_Init_thread_comm);

/* 1 is success: GA_Initialize_comm starts GA only on another result than 0. */
int PARMCI_Init_mpi_comm(MPI_Comm comm)
{
    return start_on_comm(CALLER, MPI_THREAD_SINGLE, comm) == 0;
}
ARMCII_ALIAS(ARMCI_Init_mpi_comm, PARMCI_Init_mpi_comm);

int PARMCI_Initialized(void)
{
    return armcii_entry.is_open;
}
ARMCII_ALIAS(ARMCI_Initialized, PARMCI_Initialized);

static void end_layers(void)
{
    armcii_lock_enter(); /* the progress thread is still running */
    armcii_quiesce();
    armcii_lock_exit();
    armcii_coll_barrier(armcii_world->comm);
    armcii_mutexes_end();
    armcii_notify_end();
    armcii_handles_end();
    armcii_regions_free_all();
    armcii_memget_end();
    armcii_route_end();
    armcii_lookup_end();
    armcii_datatype_cache_clear();
    armcii_groups_reset_default();
    armcii_team_free_all();
    armcii_coll_end();
    armcii_heap_end();
    armcii_node_end();
    armcii_world_free();
}

/* It has its parent's functions of atexit, connections, and shared memory. */
static bool is_child(void)
{
    return getpid() != init.process;
}

static void unhook_mpi_finalize(void)
{
    int key = init.end_key;
    if (key == MPI_KEYVAL_INVALID) return; /* MPI_Finalize is deleting the attribute */
    init.end_key = MPI_KEYVAL_INVALID;
    MPI_Comm_delete_attr(MPI_COMM_SELF, key);
    MPI_Comm_free_keyval(&key);
}

static void end(void)
{
    armcii_entry_close();
    unhook_mpi_finalize();
    end_layers();
    armcii_leave_allow();
    init.has_ended = true;
}

/* ---- programs that call MPI_Finalize without ARMCI_Finalize ----
 *
 * MPI_Finalize then ends ARMCI first, as ARMCI_Finalize does: a process that arrives early serves
 * the others until all have arrived. */

static void end_in_finalize(void)
{
    if (!armcii_entry.is_open || is_child()) return;
    if (armcii_world->rank == 0)
        armcii_warn("MPI_Finalize was called without ARMCI_Finalize: ARMCI ends now; call "
                    "ARMCI_Finalize first");
    init.init_count = 0;
    end();
}

#pragma weak dlsym /* on older systems it is in libdl, which a static link may not name */

/* Call the MPI_Finalize of a tool that is linked after this library, or preloaded to a program with
 * libarmci.a. */
static int call_next_mpi_finalize(void)
{
    int (*next)(void) = NULL;
    if (dlsym) *(void **)&next = dlsym(RTLD_NEXT, "MPI_Finalize");
    return next ? next() : PMPI_Finalize();
}

/* Ends ARMCI before MPI_Finalize: MPICH stops supporting threads before it deletes attributes, and
 * aborts if the progress thread is inside MPI then. Weak, since the program may link a tool that
 * defines it, too. */
__attribute__((weak)) int MPI_Finalize(void)
{
    end_in_finalize();
    return call_next_mpi_finalize();
}

/* For programs whose MPI_Finalize bypasses the function above: they call PMPI_Finalize (Open MPI's
 * Fortran interface, tools), or link the MPI library before this one. */
static int end_in_mpi_finalize(MPI_Comm self, int key, void *value, void *extra)
{
    (void)self, (void)key, (void)value, (void)extra;
    init.end_key = MPI_KEYVAL_INVALID;
    if (!armcii_entry.is_open || is_child()) return MPI_SUCCESS;
    armcii_route_stop_thread();
    end_in_finalize();
    return MPI_SUCCESS;
}

static void finalize_mpi_at_exit(void)
{
    if (!is_child()) parmci_msg_finalize();
}

int PARMCI_Finalize(void)
{
    /* Global Arrays and TCGMSG end ARMCI more often than they start it. */
    if (!armcii_entry.is_open && init.has_ended) return 0;
    if (!armcii_is_running(CALLER)) return ARMCI_ERR_STATE;
    if (is_child()) return 0;
    if (--init.init_count > 0) return 0;
    end();
    /* Not now: GA_Terminate frees a communicator after this, and the program may call MPI_Finalize
     * itself. */
    if (init.owns_mpi && atexit(finalize_mpi_at_exit) == 0) init.owns_mpi = false;
    return 0;
}
ARMCII_ALIAS(ARMCI_Finalize, PARMCI_Finalize);

/* Does nothing: segments have no names, so nothing remains after the process. */
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

/* armci-info --program finds the text in programs. */
const char *PARMCI_RMA_Version(void)
{
#define MARK "libarmci of ARMCI-RMA "
    static const char text[] = MARK PACKAGE_VERSION;
    return text + sizeof MARK - 1;
}
ARMCII_ALIAS(ARMCI_RMA_Version, PARMCI_RMA_Version);
