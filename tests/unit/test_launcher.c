/* test_launcher.c - the launchers whose environment shows that a job spans nodes, and what the
 * library asks of MPI then. */
#include "base/config.h"
#include "unit.h"

static bool windows_bear_threads;
static int times_asked; /* about windows */

static bool ask_about_windows(void)
{
    times_asked++;
    return windows_bear_threads;
}

/* What the library asks of Open MPI before main in a job of 4 ranks, 2 of them here; NULL: nothing.
 */
static const char *asked_for(const char *variable, const char *value)
{
    setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
    setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "2", 1);
    unsetenv("OMPI_MPI_THREAD_LEVEL");
    unsetenv("MPIR_CVAR_DEFAULT_THREAD_LEVEL");
    setenv(variable, value, 1);
    armcii_config_ask_for_threads(ask_about_windows);
    unsetenv(variable);
    return getenv("OMPI_MPI_THREAD_LEVEL");
}

TEST(threads_are_asked_for_where_they_serve)
{
    ck_assert_str_eq(asked_for("ARMCI_PROGRESS", "auto"), "3");
    ck_assert_str_eq(asked_for("ARMCI_PROGRESS", "thread"), "3");
    ck_assert_ptr_null(asked_for("ARMCI_PROGRESS", "none"));
    ck_assert_int_eq(times_asked, 0);
}

TEST(threads_for_windows_only_where_windows_bear_them)
{
    ck_assert_ptr_null(asked_for("ARMCI_TRANSPORT", "rma"));
    ck_assert_ptr_null(asked_for("ARMCI_SHM", "no"));
    windows_bear_threads = true;
    ck_assert_str_eq(asked_for("ARMCI_TRANSPORT", "rma"), "3");
    ck_assert_str_eq(asked_for("ARMCI_SHM", "mpi"), "3");
    ck_assert_ptr_null(asked_for("ARMCI_PROGRESS", "none"));
}

/* Environments that launchers set; `spans`: on two nodes. */
static const struct launcher {
    const char *name, *variables[3];
    bool spans;
} launchers[] = {
    {"mpiexec of MPICH, 1 node", {"PMI_SIZE=4", "MPI_LOCALNRANKS=4"}, false},
    {"mpiexec of MPICH", {"PMI_SIZE=4", "MPI_LOCALNRANKS=2"}, true},
    {"mpirun of Open MPI, 1 node",
     {"OMPI_COMM_WORLD_SIZE=2", "OMPI_COMM_WORLD_LOCAL_SIZE=2"},
     false},
    {"srun, 1 node", {"SLURM_STEP_NUM_NODES=1", "SLURM_NTASKS=8", "PMIX_RANK=0"}, false},
    {"srun with PMIx or PMI-2", {"SLURM_STEP_NUM_NODES=2", "SLURM_NTASKS=8", "PMIX_RANK=0"}, true},
    {"srun with Cray PMI", {"PMI_SIZE=128", "PMI_LOCAL_SIZE=64"}, true},
    {"PALS, 1 node", {"PMI_SIZE=64", "PMI_LOCAL_SIZE=64", "PALS_RANKID=0"}, false},
    {"PALS", {"PALS_NRANKS=128", "PALS_LOCAL_SIZE=64", "PALS_RANKID=0"}, true},
    {"Flux, 1 node", {"FLUX_JOB_SIZE=8", "FLUX_JOB_NNODES=1"}, false},
    {"Flux", {"FLUX_JOB_SIZE=8", "FLUX_JOB_NNODES=2"}, true},
    {"MVAPICH2", {"MV2_COMM_WORLD_SIZE=4", "MV2_COMM_WORLD_LOCAL_SIZE=2"}, true},
    {"none", {NULL}, false},
    {NULL, {NULL}, false},
};

TEST(launchers_of_all_kinds)
{
    static const char *const answers[] = {"OMPI_MPI_THREAD_LEVEL", "MPIR_CVAR_DEFAULT_THREAD_LEVEL",
                                          "MPICH_MAX_THREAD_SAFETY"};
    windows_bear_threads = true;
    for (const struct launcher *l = launchers; l->name; l++) {
        clearenv();
        for (int i = 0; i < 3 && l->variables[i]; i++)
            putenv((char *)(uintptr_t)l->variables[i]);
        armcii_config_ask_for_threads(ask_about_windows);
        for (int i = 0; i < 3; i++)
            ck_assert_msg((getenv(answers[i]) != NULL) == l->spans, "%s: %s is %s", l->name,
                          answers[i], l->spans ? "missing" : "set");
    }
}
