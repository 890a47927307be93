/* test_start.c - programs that leave it to ARMCI to start and end MPI.  TEST_START says how: Init,
 * Init_args, Init_thread, msg_init, or MPI first, ARMCI_Init afterwards: Init_mpi, Init_cleared
 * (without any variable), Init_divided (one rank alone has a variable of MPICH that makes nodes of
 * parts of a host, so that the ranks have to agree on what a node is). */
#include <unistd.h>

#include "harness.h"

static char how[32] = "Init";

static bool started_by(const char *name)
{
    return strcmp(how, name) == 0;
}

/* The program starts MPI, which reads its variables now, and changes its own environment. */
static bool starts_mpi(void)
{
    return started_by("Init_mpi") || started_by("Init_cleared") || started_by("Init_divided");
}

static void change_environment(void)
{
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (started_by("Init_cleared")) clearenv();
    if (started_by("Init_divided") && rank == ranks - 1) setenv("MPIR_CVAR_NUM_CLIQUES", "2", 1);
}

static int given_argc;
static char **given_argv;
static struct {
    int armci_before, mpi_before, mpi_after_msg_init;
} seen; /* what the flags said at the start */

static int mpi_has(int (*what)(int *))
{
    int flag = -1;
    what(&flag);
    return flag;
}

/* An exit handler that runs after the library's. */
static void is_ended(void)
{
    if (mpi_has(MPI_Finalized)) return;
    puts("MPI was not finalized at exit");
    fflush(stdout);
    _exit(1);
}

static void start(int *argc, char ***argv)
{
    int result = 0;
    const char *value = getenv("TEST_START");
    if (value) snprintf(how, sizeof how, "%s", value);
    given_argc = *argc;
    given_argv = *argv;
    seen.armci_before = ARMCI_Initialized();
    seen.mpi_before = mpi_has(MPI_Initialized);
    seen.mpi_after_msg_init = 1;
    atexit(is_ended);
    if (started_by("Init_args")) {
        result = ARMCI_Init_args(&given_argc, &given_argv);
    } else if (started_by("Init_thread")) {
        result = ARMCI_Init_thread(MPI_THREAD_FUNNELED);
    } else if (starts_mpi()) {
        MPI_Init(argc, argv);
        change_environment();
        result = ARMCI_Init();
    } else if (started_by("msg_init")) {
        armci_msg_init(argc, argv);
        seen.mpi_after_msg_init = mpi_has(MPI_Initialized);
        armci_msg_init(argc, argv);
        result = ARMCI_Init();
    } else {
        result = ARMCI_Init();
    }
    if (result != 0) exit(1);
}

static void is_started(void)
{
    int level = -1;
    check_long(seen.armci_before, 0, "ARMCI_Initialized before the start");
    check_long(seen.mpi_before, 0, "MPI_Initialized before the start");
    check_long(seen.mpi_after_msg_init, 1, "MPI_Initialized after armci_msg_init");
    check_long(ARMCI_Initialized(), 1, "ARMCI_Initialized");
    check_long(mpi_has(MPI_Initialized), 1, "MPI_Initialized");
    check(given_argc >= 1 && strstr(given_argv[0], "test_start") != NULL, "argv[0] is %s",
          given_argv[0]);
    MPI_Query_thread(&level);
    check(!started_by("Init_thread") || level >= MPI_THREAD_FUNNELED, "thread level %d", level);
}

static void works(void)
{
    use_armci(test_rank(), test_ranks(), "ARMCI");
}

static void nested(void)
{
    check_long(ARMCI_Init(), 0, "ARMCI_Init within");
    check_long(ARMCI_Finalize(), 0, "ARMCI_Finalize within");
    check_long(ARMCI_Initialized(), 1, "ARMCI_Initialized after the inner end");
    check_long(mpi_has(MPI_Finalized), 0, "MPI_Finalized after the inner end");
    works();
}

/* MPI runs on after ARMCI; whether ARMCI or the program initialized it, the program may finalize
 * it. If ARMCI did, it may leave that to the library. */
static void stop(void)
{
    check_long(ARMCI_Finalize(), 0, "ARMCI_Finalize");
    check_long(ARMCI_Initialized(), 0, "ARMCI_Initialized after the end");
    check_long(mpi_has(MPI_Finalized), 0, "MPI_Finalized after ARMCI_Finalize");
    check_long(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS, "MPI_Barrier after ARMCI_Finalize");
    check_long(ARMCI_Init(), 0, "ARMCI_Init again");
    works();
    check_long(ARMCI_Finalize(), 0, "ARMCI_Finalize again");
    if (started_by("msg_init")) armci_msg_finalize();
    if (starts_mpi() || started_by("Init_args")) MPI_Finalize();
    check_long(mpi_has(MPI_Finalized), !started_by("Init") && !started_by("Init_thread"),
               "MPI_Finalized at the end");
}

static const struct test tests[] = {
    {"ARMCI and MPI run", is_started},
    {"transfers and messages work", works},
    {"an inner start and end change nothing", nested},
};
SUITE(.start = start, .stop = stop);
