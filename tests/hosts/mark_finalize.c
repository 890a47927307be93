/* mark_finalize.c - preloaded into a test program: says that the process has come to MPI_Finalize, so that two-hosts can
 * tell a job that hangs in there, which some MPI libraries do between hosts, from one that hangs in the library. */
#include <mpi.h>
#include <unistd.h>

int MPI_Finalize(void)
{
    static const char text[] = "in MPI_Finalize\n";

    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) return MPI_ERR_OTHER;
    return PMPI_Finalize();
}
