/* odd.c - systems that are made odd: without memfd; NODES: each rank on a node of its own, without
 * threads up to the rank TEST_FUNNELED, where that is set; UNKNOWN: with an unknown MPI library. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int memfd_create(const char *name, unsigned flags);
int memfd_create(const char *name, unsigned flags)
{
    (void)name, (void)flags;
    return -1;
}

#ifdef NODES
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *result)
{
    int rank;
    (void)type, (void)info;
    PMPI_Comm_rank(comm, &rank);
    return PMPI_Comm_split(comm, rank, key, result);
}

int MPI_Query_thread(int *level)
{
    const char *last = getenv("TEST_FUNNELED");
    int rank;
    PMPI_Query_thread(level);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (last && rank <= atoi(last)) *level = MPI_THREAD_FUNNELED;
    return MPI_SUCCESS;
}
#endif

#ifdef UNKNOWN
int MPI_Get_library_version(char *version, int *length)
{
    strcpy(version, "Fast MPI 7");
    *length = (int)strlen(version);
    return MPI_SUCCESS;
}
#endif
