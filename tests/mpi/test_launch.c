/* test_launch.c - the warning [alone]: the launcher started several processes, and MPI sees one.
 * The environment of launchers is set after MPI has started, since ARMCI_Init reads it. */
#include "harness.h"

enum { VARIABLES = 4 };

/* What launchers set, and the number in the warning; 0: no warning. */
static const struct launcher {
    const char *name, *variables[VARIABLES];
    long started;
} launchers[] = {
    {"srun without the plugin of this MPI",
     {"SLURM_NTASKS=2", "SLURM_STEP_NUM_TASKS=2", "SLURM_PROCID=0"},
     2},
    {"the second process there", {"SLURM_NTASKS=2", "SLURM_STEP_NUM_TASKS=2", "SLURM_PROCID=1"}, 0},
    {"a batch script of Slurm", {"SLURM_NTASKS=8", "SLURM_PROCID=0", "SLURM_JOB_ID=7"}, 0},
    {"the shell of srun --pty",
     {"SLURM_STEP_NUM_TASKS=8", "SLURM_PROCID=0", "SLURM_PTY_PORT=1234"},
     0},
    {"srun of one process", {"SLURM_NTASKS=8", "SLURM_STEP_NUM_TASKS=1", "SLURM_PROCID=0"}, 0},
    {"mpiexec of one process, whose daemons srun started",
     {"PMI_SIZE=1", "PMI_RANK=0", "SLURM_STEP_NUM_TASKS=4", "SLURM_PROCID=0"},
     0},
    {"mpirun of Open MPI", {"OMPI_COMM_WORLD_SIZE=4", "OMPI_COMM_WORLD_RANK=0"}, 4},
    {"mpirun of Open MPI, its last process",
     {"OMPI_COMM_WORLD_SIZE=4", "OMPI_COMM_WORLD_RANK=3"},
     0},
    {"mpiexec of MPICH", {"PMI_SIZE=3", "PMI_RANK=0"}, 3},
    {"MVAPICH2", {"MV2_COMM_WORLD_SIZE=16", "MV2_COMM_WORLD_RANK=0"}, 16},
    {"PALS", {"PALS_NRANKS=128", "PALS_RANKID=0"}, 128},
    {"Flux", {"FLUX_JOB_SIZE=8", "FLUX_TASK_RANK=0"}, 8},
    {"none", {NULL}, 0},
};

/* Those of the launcher that runs the test, too. */
static void forget_launchers(void)
{
    static const char *const names[] = {
        "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE",      "PMI_RANK",
        "MV2_COMM_WORLD_SIZE",  "MV2_COMM_WORLD_RANK",  "PALS_NRANKS",   "PALS_RANKID",
        "SLURM_NTASKS",         "SLURM_STEP_NUM_TASKS", "SLURM_PROCID",  "SLURM_JOB_ID",
        "SLURM_PTY_PORT",       "FLUX_JOB_SIZE",        "FLUX_TASK_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unsetenv(names[i]);
}

/* The variables of a launcher are set: does a start on that communicator print the warning about so
 * many processes? */
static void check_start(const struct launcher *l, MPI_Comm comm, long started)
{
    char wanted[64];
    forget_launchers();
    for (int i = 0; i < VARIABLES && l->variables[i]; i++)
        putenv((char *)(uintptr_t)l->variables[i]);
    snprintf(wanted, sizeof wanted, "[alone] the launcher started %ld processes,", started);
    catch_errors();
    int result = ARMCI_Init_mpi_comm(comm);
    const char *printed = caught_errors();
    check_long(result, 1, "%s: ARMCI_Init_mpi_comm", l->name);
    if (started > 0)
        check(strstr(printed, wanted) && strstr(printed, "--mpi=pmi2"), "%s: no warning: %s",
              l->name, printed);
    else
        check(!strstr(printed, "[alone]"), "%s: a needless warning: %s", l->name, printed);
    check_long(ARMCI_Finalize(), 0, "%s: ARMCI_Finalize", l->name);
    forget_launchers();
}

static void all_launchers(void)
{
    for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++)
        check_start(&launchers[i], MPI_COMM_WORLD, test_ranks() == 1 ? launchers[i].started : 0);
}

/* One process of several that MPI sees. */
static void part(void)
{
    for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++)
        if (test_ranks() > 1) check_start(&launchers[i], MPI_COMM_SELF, 0);
    check_start(&launchers[0], MPI_COMM_WORLD, test_ranks() == 1 ? launchers[0].started : 0);
}

static const struct test tests[] = {
    {"a process that is alone is named, with the workaround", all_launchers},
    {"a start on one of several processes is no mistake", part},
};
SUITE(.start = start_mpi, .stop = stop_mpi);
