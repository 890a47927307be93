/* pretended_nodes.h - nodes for tests on one machine: ARMCI_TEST_NODE=N pretends that N consecutive
 * ranks are a node. The processes of a node share memory; between nodes the library sends messages,
 * as it does between machines. To be included in one file of a program, or preloaded. Other
 * programs must not define the function: without it the library starts in another way. */
#include <mpi.h>
#include <stdlib.h>

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *part)
{
    const char *ranks = getenv("ARMCI_TEST_NODE");
    int rank;
    int each = ranks ? atoi(ranks) : 0;
    if (each <= 0 || type != MPI_COMM_TYPE_SHARED)
        return PMPI_Comm_split_type(comm, type, key, info, part);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return MPI_Comm_split(comm, rank / each, key, part);
}
