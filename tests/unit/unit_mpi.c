/* unit_mpi.c - the run of a unit test that uses MPI.  Not in unit.c: the library replaces MPI_Init.
 */
#include "unit.h"

#include <mpi.h>

enum { SKIPPED = 77 };

static int run(int argc, char **argv, int wanted)
{
    int level, status = SKIPPED;
    setenv("CK_FORK", "no", 1);
    setenv("OMPI_MCA_ess_singleton_isolated", "1", 0); /* a job by itself, without a daemon */
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
    if (unit.before_mpi) unit.before_mpi();
    MPI_Init_thread(&argc, &argv, wanted, &level);
    if (level >= wanted) status = unit_run(argc, argv);
    MPI_Finalize();
    return status;
}

int unit_run_with_mpi(int argc, char **argv)
{
    return run(argc, argv, MPI_THREAD_SINGLE);
}

int unit_run_with_mpi_threads(int argc, char **argv)
{
    return run(argc, argv, MPI_THREAD_MULTIPLE);
}
