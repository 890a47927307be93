/* fortran_abi.c - what Fortran programs of Global Arrays call of MPI, over the standard ABI: MPICH
 * 5.0 has no Fortran library for that. */
#include <mpi.h>

void mpi_init_(int *error);
void mpi_init_thread_(const int *required, int *provided, int *error);
void mpi_finalize_(int *error);
double mpi_wtime_(void);

void mpi_init_(int *error)
{
    *error = MPI_Init(0, 0);
}

void mpi_init_thread_(const int *required, int *provided, int *error)
{
    *error = MPI_Init_thread(0, 0, *required, provided);
}

void mpi_finalize_(int *error)
{
    *error = MPI_Finalize();
}

double mpi_wtime_(void)
{
    return MPI_Wtime();
}
