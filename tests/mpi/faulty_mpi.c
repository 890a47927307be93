/* faulty_mpi.c - one-sided calls with a defect. */
#include "faulty_mpi.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const char *defect; /* NULL: none */

void faulty_mpi_begin(const char *name)
{
    defect = name;
}

void faulty_mpi_end(void)
{
    defect = NULL;
}

static bool has_defect(const char *name)
{
    return defect && strcmp(defect, name) == 0;
}

static bool is_derived(MPI_Datatype type)
{
    int integers, addresses, types, combiner;
    MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    return combiner != MPI_COMBINER_NAMED;
}

int MPI_Put(const void *origin, int count, MPI_Datatype type, int rank, MPI_Aint disp, int there, MPI_Datatype its_type, MPI_Win win)
{
    if (has_defect("put-lost")) return MPI_SUCCESS;
    if (has_defect("put-strided") && is_derived(its_type)) disp += 8;
    return PMPI_Put(origin, count, type, rank, disp, there, its_type, win);
}

int MPI_Get(void *origin, int count, MPI_Datatype type, int rank, MPI_Aint disp, int there, MPI_Datatype its_type, MPI_Win win)
{
    if (has_defect("get-strided") && is_derived(its_type)) return MPI_SUCCESS;
    return PMPI_Get(origin, count, type, rank, disp, there, its_type, win);
}

int MPI_Accumulate(const void *origin, int count, MPI_Datatype type, int rank, MPI_Aint disp, int there, MPI_Datatype its_type, MPI_Op op,
                   MPI_Win win)
{
    if (has_defect("acc-strided") && is_derived(its_type)) return MPI_SUCCESS;
    if (has_defect("acc-twice")) PMPI_Accumulate(origin, count, type, rank, disp, there, its_type, op, win);
    return PMPI_Accumulate(origin, count, type, rank, disp, there, its_type, op, win);
}

int MPI_Fetch_and_op(const void *origin, void *result, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Op op, MPI_Win win)
{
    static long truth; /* nobody is told */
    if (has_defect("fetch-lost")) op = MPI_NO_OP;
    if (!has_defect("fetch-old")) return PMPI_Fetch_and_op(origin, result, type, rank, disp, op, win);
    *(int *)result = 4711;
    return PMPI_Fetch_and_op(origin, &truth, type, rank, disp, op, win);
}
